/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * launcher.h - who starts the monitors of a run: mpirun; for one node on this machine nobody else:
 * cape-run's child is the monitor then; for tests cape-run's child (sockets.c).
 */
#ifndef CAPE_RUN_LAUNCHER_H
#define CAPE_RUN_LAUNCHER_H

#include <stdbool.h>
#include "command.h"
#include "options.h"
#include "place.h"

struct launcher {
	const char *name;    /* for the user */
	const char *monitor; /* the monitor's path from cape-run's folder */
	const char *awaited; /* what a start waits for that takes long, before a monitor begins */
	const char *joining; /* and while monitors make themselves known to each other */
	/* What the run has failed of when a signal kills cape-run's child; NULL: of that. */
	const char *death;
	/* Below may be NULL: nothing to do. */
	/* Whether it can be started; else a message was printed. */
	bool (*is_there)(void);
	/* Sets variables for a run at PLACE, whose environment is restored at its end. */
	void (*settle)(struct place *place, const struct run_options *options);
	/* Adds what comes before the monitor's command line. */
	void (*begin)(struct command *command, const struct run_options *options);
	/* In the child, about to become it. */
	void (*prepare)(void);
	/* In the child, instead of becoming it: starts the monitors and waits for them.  Returns an
	 * exit status. */
	int (*start)(const struct command *command);
};

extern const struct launcher mpirun_launcher, alone_launcher, sockets_launcher;

/* The one for a run with OPTIONS. */
const struct launcher *launcher_for(const struct run_options *options);

#endif
