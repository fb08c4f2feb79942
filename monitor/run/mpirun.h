/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mpirun.h - mpirun as cape-run's child: its command line, its start.
 */
#ifndef CAPE_RUN_MPIRUN_H
#define CAPE_RUN_MPIRUN_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include "options.h"
#include "surroundings.h"

/*
 * mpirun's command line for PROGRAM (its path), which is to have SURROUNDINGS, in a run whose files
 * are in FOLDER; NULL: out of memory.  The list is to be freed, what it points to lives as long as
 * the process.
 */
char **mpirun_command(const struct run_options *options, const struct surroundings *surroundings,
		      char *program, const char *folder);

/* Whether it is Open MPI 5's, some of whose settings have other names. */
bool mpirun_is_prterun(void);

/*
 * Puts the options that let more nodes run on a machine than it has slots into WORDS, which has
 * room for 2; how many.
 */
size_t mpirun_share(const struct run_options *options, char **words);

/* Starts it; OUTPUT: the ends to read its stdout and stderr from.  Its pid or -errno. */
pid_t mpirun_start(char **command, int output[2]);

#endif
