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

/* mpirun's command line. */
struct mpirun_command {
	char **list; /* NULL at its end */
	size_t count;
	char *made[24]; /* those of them that were made for it; the others belong to somebody else
			 */
	size_t made_count;
	bool failed; /* one of those could not be */
};

/*
 * For PROGRAM (its path), which is to have SURROUNDINGS, in a run whose files are in FOLDER.  0, or
 * -ENOMEM: then there is nothing to be freed.
 */
int mpirun_command_make(struct mpirun_command *command, const struct run_options *options,
			const struct surroundings *surroundings, char *program, const char *folder);
void mpirun_command_free(struct mpirun_command *command);

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
