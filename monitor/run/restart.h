/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * restart.h - what a saved run was started with.
 */
#ifndef CAPE_RUN_RESTART_H
#define CAPE_RUN_RESTART_H

#include <stdbool.h>
#include "options.h"

/*
 * Finds the set that options->restart names, puts its path there, the saved program and, where the
 * user gave none, its number of nodes to OPTIONS, and goes to the folder that it was started in.
 * Folders in OPTIONS are absolute then.  False: a message says why.
 */
bool restart_find(struct run_options *options);

/* PATH, which need not be there yet, from the root on; NULL: a message was printed. */
const char *absolute_path(const char *path);

#endif
