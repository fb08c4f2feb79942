/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * own_objects.h - mutexes and their like by which threads of one node wait for each other.
 *
 * They may lie in shared memory, but what is in them is each node's own: who holds a mutex, and who
 * waits, no other node may overwrite.
 */
#ifndef CAPE_OWN_OBJECTS_H
#define CAPE_OWN_OBJECTS_H

#include "base/context.h"
#include "channel/range.h"

struct cape_own_objects {
	pthread_mutex_t lock;
	uint32_t looks;		   /* how many look at memory just now; futex */
	uint32_t waiting;	   /* how many wait for that */
	struct cape_range *object; /* in the order of addresses */
	size_t count;
};

/*
 * From the first look at memory until what was found is copied: threads that the program made,
 * which would come to another object or leave one, wait.
 */
void cape_own_objects_hold(struct cape_runtime *runtime);
void cape_own_objects_release(struct cape_runtime *runtime);

/* SIZE bytes at ADDRESS are one; more of them than CAPE can keep are let be. */
void cape_own_objects_add(struct cape_runtime *runtime, uint64_t address, uint64_t size);

/* SIZE bytes at ADDRESS are something else from now on. */
void cape_own_objects_forget(struct cape_runtime *runtime, uint64_t address, uint64_t size);

/* The same, and nobody needs what they hold: nodes, which differ there, shall differ no longer. */
void cape_own_objects_clear(struct cape_runtime *runtime, uint64_t address, uint64_t size);

/* The first that ends after ADDRESS; START is UINT64_MAX when there is none. */
struct cape_range cape_own_objects_next(struct cape_runtime *runtime, uint64_t address);

/* Whether there is any. */
static inline bool cape_own_objects_known(const struct cape_runtime *runtime)
{
	return __atomic_load_n(&runtime->own_objects->count, __ATOMIC_ACQUIRE) != 0;
}

#endif
