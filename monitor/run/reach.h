/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reach.h - how mpirun would reach the machines, for a check of them.
 */
#ifndef CAPE_RUN_REACH_H
#define CAPE_RUN_REACH_H

#include <stdbool.h>
#include "check/check.h"
#include "options.h"

/*
 * Sets what reaches them, and which those of a batch system's job are.  False: a message says why
 * not.  Both are to be freed by reach_free().
 */
bool reach_find(struct check *check, const struct run_options *options);
void reach_free(struct check *check);

#endif
