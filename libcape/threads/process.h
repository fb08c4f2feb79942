/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * process.h - what all threads of the process share.
 */
#ifndef CAPE_PROCESS_H
#define CAPE_PROCESS_H

#include "channel/profile.h"
#include "threads/worker.h"

struct cape_pooled;
struct cape_profiling;

/* Of one lock a cache line, for neighbours are held at a time. */
struct cape_atomic_lock {
	uint32_t word;
} __attribute__((aligned(CAPE_CACHE_LINE)));

/* What threads write at once has cache lines of its own. */
struct cape_pool {
	uint32_t ids; /* that workers have */
	unsigned processors;
	bool limit_reported; /* that a team cannot be larger */
	pthread_key_t key;   /* whose destructor frees the workers of the program's own threads */

	struct cape_pooled **pooled; /* by their numbers, from 1 */
	unsigned threads, room;
	struct cape_worker *initial; /* where these are made before the first region; or NULL */
	uint32_t ready;		     /* of these have begun to wait for regions */

	/* Of the region that runs. */
	struct cape_team *team;
	void (*body)(void *data);
	void *data;
	struct cape_construct *region; /* that one, after those around it */
	size_t regions, regions_room;
	struct cape_settings settings;
	unsigned level, active_level, looks, team_room;
	unsigned first, whole;		   /* of a team that is part of a larger one, ... */
	uint32_t shares;		   /* that the last team has used */
	const struct cape_team_kind *kind; /* ... which it then says */
	void (*begin)(struct cape_runtime *runtime, unsigned number); /* by each; or NULL */
	struct cape_profiling *profiling; /* by the numbers of threads; NULL: nobody asked */
	/* What a thread does from now on, and did before; where they are. */
	enum cape_phase (*be)(struct cape_profiling *profiling, enum cape_phase phase);
	bool masks;	    /* signals come to other threads than the first in regions only */
	uint64_t mask;	    /* that the first has as the region begins */
	bool seats;	    /* members are bound to places */
	bool displays;	    /* members say where they are */
	unsigned displayed; /* members of the last team */
	struct cape_signal joined __attribute__((aligned(CAPE_CACHE_LINE)));

	uint32_t unnamed __attribute__((aligned(CAPE_CACHE_LINE)));
	uint32_t mutex; /* of NAMED */
	struct cape_named_lock *named;
	struct cape_atomic_lock atomic[CAPE_ATOMICS];
};

static inline struct cape_pool *cape_pool_get(void)
{
	return cape_runtime_get()->pool;
}

#endif
