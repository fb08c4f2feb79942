/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * options.h - the command line of cape-run: its own options, mpirun's, the program and its.
 */
#ifndef CAPE_RUN_OPTIONS_H
#define CAPE_RUN_OPTIONS_H

#include <stdbool.h>
#include "common/monitor_options.h"

struct run_options {
	MONITOR_OPTIONS_HERE;	/* method, model, exchange below 0: not given; kept: to be freed */
	int nodes;		/* -np; 0: not given */
	int protection;		/* --protect: its number (common/protections.h); -1: not given */
	int start_within;	/* --start-within: seconds; 0: not given */
	bool hosts;		/* some are named */
	bool each_machine;	/* nodes go to one machine after the other */
	const char *directory;	/* --wdir: where the program runs, or NULL */
	bool check;		/* the machines, and run nothing */
	int restarts;		/* --max-restarts */
	const char *spaced;	/* the last option that says how it is saved, or NULL */
	const char *restart;	/* --restart: the folder, or NULL */
	bool newest;		/* that is of many saves, of which the newest good one will do */
	bool verbose;		/* mpirun's own messages are shown */
	bool wire;		/* --wire test: monitors speak by sockets (sockets.h) */
	int seed;		/* --wire test:SEED; 0: none */
	bool cut;		/* --wire test:SEED,cut */
	const char *trace_file; /* for --profile's trace, or NULL */
	char **mpirun;		/* options to pass on, NULL-terminated */
	int mpirun_count;
	char **program; /* path and arguments, NULL-terminated */
};

enum run_parse { RUN_PARSED, RUN_HELPED, RUN_FAILED, RUN_WRONG };

/*
 * Reads ARGV; --help and --version are answered here, errors are reported to the user.  The lists
 * point into ARGV; options->mpirun is to be freed.
 */
enum run_parse run_options_parse(struct run_options *options, int argc, char **argv);

/* Whether the method and the model, which are chosen, are others than the usual ones. */
bool run_options_are_papers(const struct run_options *options);

#endif
