/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * locked.h - which memory of the program is locked by mprotect().
 */
#ifndef CAPE_LOCKED_H
#define CAPE_LOCKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "ahead.h"
#include "channel/capture.h"
#include "mappings.h"

struct locked_range {
	uint64_t start, end;
	int prot; /* what the program may do there when it is not locked */
	bool anonymous;
	bool stack;	   /* grows downwards */
	uint64_t grown_to; /* and has, down to here; 0: not yet */
};

struct locked {
	struct locked_range *range; /* in the order of addresses */
	size_t count, capacity;
	struct cape_range *fresh; /* mapped since */
	size_t fresh_count, fresh_capacity;
	bool mappings_changed;
	struct ahead ahead;
	uint64_t brk;		  /* the end of data as brk() last returned it, 0: not yet */
	struct mappings mappings; /* as they were at the lock, or when they were last read */
};

/*
 * Adds what can be locked of the mappings, as far as it lies in the COUNT ranges, which the program
 * named.  0 or -errno.
 */
int locked_add(struct locked *locked, const struct cape_range *range, size_t count);

/* The locked range that holds ADDRESS, or NULL. */
struct locked_range *locked_find(const struct locked *locked, uint64_t address);

/* [START, END) is not locked any more.  0 or -errno. */
int locked_remove(struct locked *locked, uint64_t start, uint64_t end);

#endif
