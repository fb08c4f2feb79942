/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mappings.h - the memory mappings of a process, from /proc/PID/maps.
 */
#ifndef CAPE_MAPPINGS_H
#define CAPE_MAPPINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct mapping {
	uint64_t start, end;
	int prot;	/* PROT_* */
	bool private;	/* changes are the process's own */
	bool anonymous; /* begins as zeros */
	bool stack;	/* of the first thread: grows downwards */
};

/* In the order of addresses. */
struct mappings {
	struct mapping *list;
	size_t count, capacity;
};

/* Reads those of PROCESS in place of what was there.  0 or -errno. */
int mappings_read(struct mappings *mappings, pid_t process);
void mappings_free(struct mappings *mappings);

/* The mapping that holds ADDRESS, or else the first one after it; NULL: none. */
const struct mapping *mappings_find(const struct mappings *mappings, uint64_t address);

#endif
