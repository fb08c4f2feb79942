/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rewrite_function.h - declarations of functions with constructs and of their variables. */
#ifndef CAPE_TRANSLATOR_REWRITE_FUNCTION_H
#define CAPE_TRANSLATOR_REWRITE_FUNCTION_H

struct unit;
struct function;

/* A function with a parallel construct: it is never inlined. */
void rewrite_function(struct unit *unit, const struct function *function);
/* Any function with directives: takes register and restrict out. */
void rewrite_variables(struct unit *unit, const struct function *function);

#endif
