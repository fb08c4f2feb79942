/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * help.h - what cape-run --help prints.
 */
#ifndef CAPE_RUN_HELP_H
#define CAPE_RUN_HELP_H

extern const char help_text[];

#endif
