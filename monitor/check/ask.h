/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ask.h - runs a command on machines, in the way in which mpirun reaches them, and hears it.
 */
#ifndef CAPE_CHECK_ASK_H
#define CAPE_CHECK_ASK_H

#include <stddef.h>

struct asked {
	char *said;	 /* what it printed; to be freed, as COMPLAINT */
	char *complaint; /* on standard error */
	int status;	 /* as a shell shows it; -1: it did not end in time */
};

/*
 * AGENT is what mpirun uses for machines elsewhere ("ssh -p 2222", "srun ... -w"); NULL: COMMAND,
 * of the shell, is for this machine.  HOST is the machine's name for it.  WORDS, if there are any,
 * the last of them NULL, are run here instead, by no shell.  All of COUNT commands run at once, for
 * SECONDS at most.
 */
struct question {
	const char *agent, *host;
	char *command;
	const char *const *words;
};

/* 0 or -ENOMEM; ANSWERS has room for COUNT. */
int ask_all(const struct question *questions, struct asked *answers, size_t count, int seconds);

#endif
