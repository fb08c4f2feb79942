/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * allocation.h - what a batch system has given to the job that cape-run runs in.
 */
#ifndef CAPE_RUN_ALLOCATION_H
#define CAPE_RUN_ALLOCATION_H

#include <stdbool.h>
#include "slots.h"

struct allocation {
	const char *manager;  /* "Slurm", "PBS"; NULL: this is no job */
	const char *job;      /* its number, for the user */
	const char *machines; /* what they are called, for the user */
	const char *hostfile; /* that lists them; NULL: mpirun knows them by itself */
	const char *spread;   /* how Slurm spreads the slots, "2(x3),1"; NULL: it is not Slurm's */
	struct slots has;
	int processors; /* of each slot */
};

/*
 * Reads the environment, which all that it gives points into.  False: a batch system is there, but
 * what it says is not to be understood or used; a message was printed.
 */
bool allocation_find(struct allocation *allocation);

/*
 * The machines of Slurm's job with their slots, as mpirun's option -H has them, "node1:2,node2:1";
 * to be freed.  NULL: Slurm does not list them; a message was printed.
 */
char *allocation_list(const struct allocation *allocation);

#endif
