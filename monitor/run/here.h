/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * here.h - whether a run has this machine alone.
 */
#ifndef CAPE_RUN_HERE_H
#define CAPE_RUN_HERE_H

#include <stdbool.h>
#include "options.h"

/*
 * Whether all nodes will be on this machine, as far as options, variables and Open MPI's files of
 * settings say; false where one of them names hosts, whichever these are.
 */
bool here_is_all(const struct run_options *options);

#endif
