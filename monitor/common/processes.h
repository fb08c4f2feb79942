/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * processes.h - how many processes and threads there may be here, and what limits them.
 */
#ifndef CAPE_COMMON_PROCESSES_H
#define CAPE_COMMON_PROCESSES_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

enum processes_limit {
	PROCESSES_UNLIMITED,
	PROCESSES_OF_USER,  /* ulimit -u, of which all count that the user has on the machine */
	PROCESSES_OF_GROUP, /* pids.max of a cgroup */
};

struct processes {
	enum processes_limit limit;
	unsigned long long most, there; /* allowed in all, and already there */
	char group[PATH_MAX];		/* the cgroup's folder */
};

/* The limit that leaves the least room, raised to LEAST more than there are if it may be. */
void processes_find(struct processes *processes, unsigned long long least);

/* How many more there may be. */
unsigned long long processes_room(const struct processes *processes);

/* The limit and what is there, as a clause in TEXT, of SIZE bytes, which is returned. */
const char *processes_describe(const struct processes *processes, char *text, size_t size);

#endif
