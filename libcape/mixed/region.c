// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * region.c - a region that nodes share, each with its threads: sequential code and its constructs
 * are the nodes', from the region's start on they are the threads'.
 */
#include "base/ordering.h"
#include "memory/apart.h"
#include "memory/threadprivate.h"
#include "memory/track.h"
#include "mixed/mixed.h"
#include "openmp/team.h"
#include "replica/streams.h"
#include "save/save.h"
#include "threads/pool.h"
#include "threads/process.h"
#include "threads/watched.h"

/* From here on the initial thread's constructs are those that it has as one of the team. */
static void begin(struct cape_runtime *runtime, struct cape_worker *worker)
{
	const struct cape_openmp *openmp = runtime->openmp;

	worker->depth = 0;
	for (size_t i = 0; i < openmp->depth; i++) {
		struct cape_construct *construct = cape_worker_push(worker);

		*construct = openmp->construct[i];
		construct->id = 0;
		construct->next = 0;
	}
	worker->settings = openmp->settings;
	worker->level = runtime->level;
	worker->active_level = 1;
	worker->size = cape_team_size(runtime, cape_worker_innermost(worker));
	worker->number = cape_team_first(runtime);
}

CAPE_APART_VOID(cape_mixed_start_region, (const void *frame))
{
	struct cape_runtime *runtime = cape_runtime_get();

	cape_streams_lock_all_apart(runtime);
	cape_node_start(frame);
	if (!runtime->in_region)
		return;
	begin(runtime, cape_worker_get());
}

/* Nodes after the last of the team have nothing to do. */
CAPE_APART_VOID(cape_mixed_run_region, (void (*body)(void *data), void *data))
{
	struct cape_worker *worker = cape_worker_get();
	unsigned left = worker->size - worker->number, threads = cape_runtime->threads;

	if (worker->number < worker->size)
		cape_pool_run_part(worker, left < threads ? left : threads, body, data);
}

CAPE_APART_VOID(cape_mixed_end_region,
		(enum cape_directive directive, const struct cape_place *place))
{
	struct cape_worker *worker = cape_worker_get();

	worker->depth = 0;
	worker->level = worker->active_level = 0;
	worker->number = 0;
	worker->size = 1;
	cape_node_end(directive, place);
}

/* The child has one thread, and nobody to speak to. */
static void in_child(void)
{
	cape_runtime->ordering = &cape_ordering_of_nodes;
}

void cape_mixed_prepare(struct cape_runtime *runtime)
{
	pthread_atfork(NULL, NULL, in_child);
	runtime->ordering = &cape_ordering_of_mixed;
	runtime->pool->kind = &cape_mixed_team;
	runtime->pool->masks = true;
	runtime->pool->begin = cape_threadprivate_begin;
	runtime->pool->initial = cape_worker_get();
}

/* Threads look before they sleep where all nodes' of this machine have processors. */
static unsigned looks(const struct cape_runtime *runtime)
{
	const struct cape_channel_board *board = &runtime->channel->board;
	bool fit = runtime->pool->processors >= runtime->threads && (!board->open || board->spin);

	switch (runtime->openmp->wait_policy) {
	case CAPE_WAIT_PASSIVE:
		return CAPE_LOOKS_NONE;
	case CAPE_WAIT_ACTIVE:
		return CAPE_LOOKS_LONG;
	default:
		return fit ? CAPE_LOOKS_MANY : CAPE_LOOKS_FEW;
	}
}

void cape_mixed_start(struct cape_runtime *runtime)
{
	/* Not in a program that is not linked with it. */
	if (runtime->planned)
		runtime->planned->team = &cape_mixed_plan_team;
	runtime->pool->looks = looks(runtime);
	cape_track_threads(runtime);
	/* Where memory comes from a save there are threads after that. */
	if (runtime->channel->flags & CAPE_CHANNEL_RESTORE)
		cape_watched_prepare_threads(runtime);
	else
		cape_pool_make(cape_worker_get(), runtime->threads);
	cape_threadprivate_count(runtime, runtime->threads);
	runtime->save->threads = runtime->threads - 1;
}
