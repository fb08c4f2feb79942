/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * command.h - a run's command line, of its launcher and the monitors, and its start as a child.
 */
#ifndef CAPE_RUN_COMMAND_H
#define CAPE_RUN_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include "options.h"
#include "surroundings.h"

struct launcher;

struct command {
	const struct launcher *launcher;
	const struct run_options *options;
	char **list; /* NULL at its end */
	size_t count;
	char *made[48]; /* those of them that were made for it; others are somebody else's */
	size_t made_count;
	bool failed; /* one of those could not be */
};

/*
 * For PROGRAM (its path), which is to have SURROUNDINGS, in a run whose files are in FOLDER.  0, or
 * -ENOMEM: then there is nothing to be freed.
 */
int command_make(struct command *command, const struct launcher *launcher,
		 const struct run_options *options, const struct surroundings *surroundings,
		 char *program, const char *folder);
void command_free(struct command *command);

/* Adds a word, which stays somebody else's; an option and its value. */
void command_add(struct command *command, const char *word);
void command_add_value(struct command *command, const char *name, const char *value);

/* One that was made for it, and is freed with it; NULL: for want of memory it was not. */
void command_add_made(struct command *command, char *word);

/* The path of MONITOR, which is named from cape-run's folder; to be freed; NULL: out of memory. */
char *command_monitor(const char *monitor);

/* Starts it; OUTPUT: the ends to read its stdout and stderr from.  Its pid or -errno. */
pid_t command_start(const struct command *command, int output[2]);

#endif
