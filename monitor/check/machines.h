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
	int slots;
	int nodes; /* that would run there */
	bool here; /* it is this one */
};

struct machines {
	struct machine *machine;
	size_t count;
};

/*
 * Those of OPTIONS, mpirun's, or this machine alone; NODES (0: as many as there are slots) are put
 * onto them in the order of slots.  0, or the user was told why not.
 */
int machines_find(struct machines *machines, char *const *options, int nodes);
void machines_free(struct machines *machines);

/* The value of mpirun's setting --mca NAME in OPTIONS, or in the environment; or NULL. */
const char *machines_setting(char *const *options, const char *name);

#endif
