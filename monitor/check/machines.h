/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * machines.h - the machines that mpirun's options name, as far as a check needs them.
 */
#ifndef CAPE_CHECK_MACHINES_H
#define CAPE_CHECK_MACHINES_H

#include <stdbool.h>
#include <stddef.h>

struct machine {
	char *name; /* as the user writes it, perhaps with user@ */
	int slots;  /* 0: as many as it has processor cores, which mpirun finds out there */
	int bare;   /* how often it was named without slots */
	int nodes;  /* that would run there */
	bool here;  /* it is this one */
};

struct machines {
	struct machine *machine;
	size_t count;
};

/* No machine has more. */
#define MACHINES_SLOTS 1000000

/*
 * Adds those of the host file PATH, as mpirun reads it, or of a list, "a:2,b"; they have those
 * slots that are said.  0 or -errno; -EINVAL: a message was printed of a name that is none.
 */
int machines_add_file(struct machines *machines, const char *path);
int machines_add_list(struct machines *machines, const char *list);

/*
 * Those of OPTIONS, mpirun's; or of JOB, a list as for -H, if it is not NULL; or this machine
 * alone.  0, or a message says why not.
 */
int machines_find(struct machines *machines, char *const *options, const char *job);
void machines_free(struct machines *machines);

/* Puts NODES (0: as many as there are slots, all of which are known) onto them, as mpirun does. */
void machines_place(struct machines *machines, int nodes);

/*
 * The value of mpirun's setting --mca NAME in OPTIONS, or else of the environment's VARIABLE; or
 * NULL.
 */
const char *machines_setting(char *const *options, const char *name, const char *variable);

#endif
