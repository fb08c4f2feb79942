/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * options.h - the command line of cape-run: its own options, mpirun's, the program and its.
 */
#ifndef CAPE_RUN_OPTIONS_H
#define CAPE_RUN_OPTIONS_H

#include <stdbool.h>

struct run_options {
	int nodes;		/* -np; 0: not given */
	int threads;		/* --threads: of each node; 0: as many as the program finds right */
	int method;		/* --method: its number (channel/methods.h); -1: not given */
	int model;		/* --model: the same */
	int protection;		/* --protect: its number (common/protections.h); -1: not given */
	int exchange;		/* --exchange: the same (common/exchanges.h) */
	int lost_after;		/* --lost-after: seconds */
	int start_within;	/* --start-within: seconds */
	bool hosts;		/* some are named */
	const char *directory;	/* --wdir: where the program runs, or NULL */
	const char *wrap;	/* "[NODES:]COMMAND", or NULL */
	const char *attach;	/* the same */
	bool copy;		/* the program, to the other machines */
	bool check;		/* the machines, and run nothing */
	const char *checkpoint; /* --checkpoint: the folder, or NULL */
	int seconds;		/* --every 30s: from one save to the next; */
	int ends;		/* --every 30: ends of regions */
	int points;		/* --every 30p: sync points */
	int keep;		/* --keep */
	bool partner;		/* --partner */
	int restarts;		/* --max-restarts */
	bool trust;		/* --trust-folder */
	const char *spaced;	/* the last of --every to that that was given, or NULL */
	const char *restart;	/* --restart: the folder, or NULL */
	bool newest;		/* that is of many saves, of which the newest good one will do */
	bool verify;
	bool races;
	bool verbose;		/* mpirun's own messages are shown */
	bool wire;		/* --wire test: monitors speak by sockets (sockets.h) */
	int seed;		/* --wire test:SEED; 0: none */
	const char *statistics; /* "table", "json" or NULL */
	const char *profile;	/* the same */
	const char *trace;	/* the file for --profile's trace, or NULL */
	char *kept;		/* --save-checkpoints: the folder, or NULL */
	char **mpirun;		/* options to pass on, NULL-terminated */
	int mpirun_count;
	char **program; /* path and arguments, NULL-terminated */
};

enum run_parse { RUN_PARSED, RUN_HELPED, RUN_FAILED, RUN_WRONG };

/*
 * Reads ARGV; --help and --version are answered here, errors are told to the user.  The lists
 * point into ARGV; options->mpirun is to be freed.
 */
enum run_parse run_options_parse(struct run_options *options, int argc, char **argv);

/* Whether the method and the model, which are chosen, are others than the usual ones. */
bool run_options_are_papers(const struct run_options *options);

#endif
