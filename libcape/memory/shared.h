/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * shared.h - going through all shared memory, in the order of addresses.
 */
#ifndef CAPE_SHARED_H
#define CAPE_SHARED_H

#include "base/context.h"
#include "memory/area.h"

typedef int (*cape_shared_visit)(void *context, struct cape_area *area, struct cape_range range);

/*
 * Calls VISIT for every stretch of shared memory; stops at its first result that is not 0, and
 * returns it.  ALL: also what is the master's alone inside a region (thread-local storage,
 * the C library's own memory), which outside a region is alike on all nodes.  Of what nodes
 * exchange by need (directory.h), only what is common.
 */
int cape_shared_each(struct cape_runtime *runtime, bool all, cape_shared_visit visit,
		     void *context);

/*
 * The same, but of the heap only what the region can write to (written.h); and also what this node
 * holds with others.
 */
int cape_shared_each_written(struct cape_runtime *runtime, bool all, cape_shared_visit visit,
			     void *context);
/* The same, but of the heap all that arenas may come to use. */
int cape_shared_each_possible(struct cape_runtime *runtime, bool all, cape_shared_visit visit,
			      void *context);

/* Makes LENGTH bytes at ADDRESS in AREA writable for a checkpoint.  0 or -errno. */
int cape_shared_reach(struct cape_runtime *runtime, const struct cape_area *area, uint64_t address,
		      uint64_t length);

/*
 * Whether what changes of AREA stays here: where threads of the program's own count themselves, and
 * lock, in the C library.
 */
static inline bool cape_shared_stays(const struct cape_runtime *runtime,
				     const struct cape_area *area)
{
	return area->of_library && runtime->made_threads;
}

/* Whether all of SIZE bytes at ADDRESS is shared by the nodes inside a region. */
bool cape_shared_holds(struct cape_runtime *runtime, uint64_t address, uint64_t size);

/* The registered automatic variable at ADDRESS, or NULL. */
const struct cape_local *cape_shared_local(const struct cape_runtime *runtime, uint64_t address);

/*
 * Writes what a message calls the byte at ADDRESS to NAME: "@" where only the monitor knows (see
 * cape_fail()).
 */
void cape_shared_name(const struct cape_runtime *runtime, uint64_t address, char *name,
		      size_t size);

#endif
