/* SPDX-License-Identifier: GPL-2.0-or-later */
/* process.h - runs the real compiler; keeps temporary files in one folder that goes away again. */
#ifndef CAPE_TRANSLATOR_PROCESS_H
#define CAPE_TRANSLATOR_PROCESS_H

#include "text.h"

typedef LIST(const char *) argument_list;

/* Where the standard streams of a program go; NULL and 0 leave them as they are. */
struct redirection {
	const char *input;
	const char *output; /* appended to */
	int error;	    /* a descriptor */
};

/*
 * Runs ARGUMENTS (a NULL is added) and waits.  Returns its exit status, 128 + signal if one ended
 * it, or 127 if it could not be started; the latter two are reported to the user.  A SIGINT,
 * SIGTERM, SIGHUP or SIGQUIT in the meantime ends the program and then cape-cc.
 */
int process_run(argument_list *arguments, const struct redirection *redirection);

/*
 * The folder for temporary files, made at the first call and removed when cape-cc ends, in
 * whatever way.  NULL when it cannot be made, which is reported.
 */
const char *process_folder(void);

/* After a failure: reports to the user if the folder has no room left, which may be why. */
void process_tell_room(void);

/* Catches the signals named above. */
void process_catch_signals(void);

#endif
