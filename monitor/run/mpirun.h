/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mpirun.h - how mpirun is to be spoken to.
 */
#ifndef CAPE_RUN_MPIRUN_H
#define CAPE_RUN_MPIRUN_H

#include <stdbool.h>
#include <stddef.h>
#include "options.h"

/* Whether it is Open MPI 5's, some of whose settings have other names. */
bool mpirun_is_prterun(void);

/*
 * Puts the options that let more nodes run on a machine than it has slots into WORDS, which has
 * room for 2; how many.
 */
size_t mpirun_share(const struct run_options *options, char **words);

#endif
