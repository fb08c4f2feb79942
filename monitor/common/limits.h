/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * limits.h - what CAPE needs of the limits that a shell sets (ulimit).
 */
#ifndef CAPE_COMMON_LIMITS_H
#define CAPE_COMMON_LIMITS_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Raises the limits in force on files, stack and processes to what NODES nodes on this machine need
 * (0: some, which have their processes already), of a run that SAVES itself or not, if they are
 * lower and may be.  False: one is too low; WHY, of SIZE bytes, then says which, and what to do.
 */
bool limits_raise(int nodes, int threads, bool saves, char *why, size_t size);

/*
 * Why memory or a process cannot be had (ERROR, an errno), and what to do: a clause in TEXT, of
 * SIZE bytes, which is returned.
 */
const char *limits_why(int error, char *text, size_t size);

#endif
