/* SPDX-License-Identifier: GPL-2.0-or-later */
/* builtins.h - the compilers' atomic builtins, for libclang. */
#ifndef CAPE_TRANSLATOR_BUILTINS_H
#define CAPE_TRANSLATOR_BUILTINS_H

/*
 * The builtins as libclang is to take them, as options -D: it would refuse gcc's on an _Atomic
 * object, and forget the expression.
 */
#define BUILTINS_COUNT 51
extern const char *const builtins_options[BUILTINS_COUNT];

#endif
