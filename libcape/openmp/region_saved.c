// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * region_saved.c - where a node is in a region in which the run is saved, and going on there.
 *
 * The region is entered as it was the first time, with the values of shared memory that it has come
 * to; then each node gets what is its own.  A loop in whose middle nodes have met begins with the
 * iterations that were left.
 */
#include <string.h>
#include "base/saved.h"
#include "channel/board.h"
#include "base/way.h"
#include "openmp/openmp.h"
#include "openmp/region.h"
#include "openmp/task.h"
#include "profile/profile.h"
#include "sync/log.h"
#include "system/libc.h"

/* struct cape_construct[depth] follows. */
struct saved {
	uint64_t depth;
	int64_t input; /* the place of this node's standard input, or below 0 */
	unsigned team, thread, level, active_level, shared_level;
	uint32_t regions, shared_out;
};

static const char *refuse(struct cape_runtime *runtime)
{
	if (!runtime->in_region)
		return NULL;
	if (runtime->log->held || runtime->openmp->critical_count)
		return "it holds a lock that it has set in the region";
	if (runtime->tasks && runtime->tasks->depth)
		return "it is in a task";
	return NULL;
}

static uint64_t put(struct cape_runtime *runtime, unsigned char *to)
{
	const struct cape_openmp *openmp = runtime->openmp;
	uint64_t size = openmp->depth * sizeof(*openmp->construct);
	struct saved saved = {
		.depth = openmp->depth,
		.input = lseek(STDIN_FILENO, 0, SEEK_CUR),
		.team = runtime->team,
		.thread = runtime->thread,
		.level = runtime->level,
		.active_level = runtime->active_level,
		.shared_level = runtime->shared_level,
		.regions = runtime->regions,
		.shared_out = openmp->shared_out,
	};

	if (!runtime->in_region)
		return 0;
	if (to) {
		memcpy(to, &saved, sizeof(saved));
		memcpy(to + sizeof(saved), openmp->construct, size);
	}
	return sizeof(saved) + size;
}

static void take(struct cape_runtime *runtime, const unsigned char *from, uint64_t size)
{
	struct cape_openmp *openmp = runtime->openmp;
	struct saved saved;

	if (size < sizeof(saved))
		return;
	memcpy(&saved, from, sizeof(saved));
	if (saved.depth > CAPE_CONSTRUCTS_LIMIT ||
	    size != sizeof(saved) + saved.depth * sizeof(*openmp->construct))
		cape_fail(
			runtime, 0,
			"the run cannot continue: its constructs are not as they were at the save");
	openmp->depth = saved.depth;
	openmp->shared_out = saved.shared_out;
	memcpy(openmp->construct, from + sizeof(saved), size - sizeof(saved));
	for (size_t i = 0; i < openmp->depth; i++)
		if (openmp->construct[i].meets)
			openmp->construct[i].work.first = openmp->construct[i].next;
	runtime->team = saved.team;
	runtime->thread = saved.thread;
	runtime->level = saved.level;
	runtime->active_level = saved.active_level;
	runtime->shared_level = saved.shared_level;
	runtime->regions = saved.regions;
}

static void enter(struct cape_runtime *runtime, const unsigned char *from, uint64_t size)
{
	const struct cape_openmp *openmp = runtime->openmp;

	(void)from;
	if (!size)
		return;
	for (size_t i = 0; i < openmp->depth; i++)
		cape_profile_begin(runtime, openmp->construct[i].place,
				   cape_region_name(openmp->construct[i].directive));
	/* After a barrier, or between two chunks, which is no construct, one more is left. */
	if (cape_innermost(runtime)->meets ||
	    (cape_innermost(runtime)->is_parallel && runtime->thread < runtime->team))
		cape_profile_begin(runtime, cape_innermost(runtime)->place,
				   cape_innermost(runtime)->meets ? "save" : "barrier");
	cape_way_choose(runtime);
	runtime->way->enter(runtime);
	cape_region_open(runtime);
}

static void finish(struct cape_runtime *runtime, const unsigned char *from, uint64_t size)
{
	struct saved saved;

	(void)runtime;
	if (size < sizeof(saved))
		return;
	memcpy(&saved, from, sizeof(saved));
	if (saved.input > 0 && lseek(STDIN_FILENO, 0, SEEK_CUR) >= 0)
		lseek(STDIN_FILENO, saved.input, SEEK_SET);
}

CAPE_SAVED(region, .of_node = true, .refuse = refuse, .put = put, .take = take, .enter = enter,
	   .finish = finish);
