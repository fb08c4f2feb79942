/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * check.h - cape-run --check: what is wrong with the machines, before a run is started on them.
 */
#ifndef CAPE_CHECK_CHECK_H
#define CAPE_CHECK_CHECK_H

#include <stdbool.h>

struct check {
	char *const *mpirun; /* its options, NULL-terminated */
	char *const *share;  /* those that let nodes share processors; the same */
	char *agent;	     /* what reaches other machines ("ssh -p 2222", or srun), as ask.h's */
	char *job;	     /* a batch system's machines, as for -H; or NULL */
	bool batch;	     /* it is the batch system that reaches them */
	int nodes;	     /* 0: one for each slot */
	bool driver;	     /* cape.ko is needed */
	bool copy;	     /* the program need not be on other machines */
	const char *program; /* its path, or NULL */
};

/* Prints to stdout.  The exit status: 0, or 1 where a run would fail. */
int check_machines(const struct check *check);

/*
 * What --check starts on each machine: ARGUMENTS as check_machines() makes them.  The exit status.
 */
int check_probe(int count, char **arguments);

#endif
