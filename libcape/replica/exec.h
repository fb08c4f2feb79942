// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * exec.h - what other programs get which this one starts, or becomes.
 *
 * A program under CAPE has a stack of as many GB as the hard limit allows; others would take that
 * for the size of each of their threads' stacks.
 */
#ifndef CAPE_EXEC_H
#define CAPE_EXEC_H

#include "base/context.h"

/*
 * The limit that was in force outside, for a program that is about to be started; then as it was.
 * Between the two this process has that little stack, too, but what it has used, and a spare.
 */
void cape_exec_limit(struct cape_runtime *runtime);
void cape_exec_limit_end(struct cape_runtime *runtime);

/*
 * Whether what leads to the monitor stays open at exec(): not in commands that the program starts,
 * which are no part of the run.
 */
void cape_exec_keep(bool keep);

#endif
