// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * watched.c - counts what a run by threads does, as its first thread sees it, for --stats; says
 * where the program is; and has it saved at the ends of regions.
 *
 * A save holds sequential code: threads and their workers are not in it.  What it was saved by does
 * not matter to who goes on from it, nodes or threads.
 */
#include "threads/watched.h"

#include <sys/single_threaded.h>
#include "base/saved.h"
#include "memory/apart.h"
#include "memory/frame.h"
#include "memory/threadprivate.h"
#include "replica/input.h"
#include "replica/streams.h"
#include "save/save.h"
#include "sync/due.h"
#include "threads/barrier.h"
#include "threads/pool.h"
#include "threads/process.h"
#include "threads/profiled.h"

#define FIRST_STACK (256ul << 10)

static bool is_first(const struct cape_worker *worker)
{
	return worker->is_initial && worker->number == 0;
}

/* In the child of a fork() there is no channel. */
static struct cape_channel_statistics *statistics(void)
{
	struct cape_channel *channel = cape_runtime->channel;

	return channel ? &channel->statistics : NULL;
}

/* Inside a region. */
static void count_barrier(const struct cape_worker *worker)
{
	struct cape_channel_statistics *counted = statistics();

	if (!counted || !is_first(worker))
		return;
	counted->sync_points++;
	cape_runtime->due->points++;
}

void cape_watched_begin_at(enum cape_directive directive, unsigned long first, unsigned long last,
			   const struct cape_place *place)
{
	struct cape_worker *worker = cape_worker_get();

	cape_thread_begin_at(directive, first, last, place);
	if (is_first(worker))
		cape_runtime_place(cape_runtime, place);
}

void cape_watched_region_run(void (*body)(void *data), void *data)
{
	struct cape_worker *worker = cape_worker_get();
	struct cape_channel_statistics *counted = statistics();
	bool active = cape_worker_innermost(worker)->active;

	if (active && counted) {
		cape_runtime->channel->state.entered = (uint32_t)++counted->regions;
		cape_runtime->channel->state.in_region = 1;
	}
	cape_thread_region_run(body, data);
	/* Not in the child of a fork(). */
	if (!active || !counted || !cape_runtime->channel)
		return;
	cape_runtime->channel->state.in_region = 0;
	counted->sync_points++;
	if (counted->threads < worker->size)
		counted->threads = worker->size;
}

void cape_watched_end(enum cape_directive directive, const struct cape_place *place)
{
	struct cape_worker *worker = cape_worker_get();

	if (cape_worker_shares(worker) && cape_team_has_barrier(directive))
		count_barrier(worker);
	cape_thread_end(directive, place);
}

/* Sequential code goes on after the call of this. */
CAPE_APART_VOID(cape_watched_save, (struct cape_runtime * runtime))
{
	const struct cape_pool *pool = runtime->pool;

	cape_streams_flush();
	cape_input_note(runtime, true);
	runtime->save->threads = pool->threads;
	cape_threadprivate_count(runtime, 1 + pool->threads);
	cape_save(runtime, runtime->stack->registers);
}

/* A run that goes on from the save comes back from it, too, and knows nothing of this one's
 * threads.
 */
static void end(enum cape_directive directive, const struct cape_place *place)
{
	struct cape_runtime *runtime = cape_runtime;
	struct cape_worker *worker = cape_worker_get();
	bool parallel = cape_worker_innermost(worker)->is_parallel;

	runtime->watched->end(directive, place);
	if (parallel && is_first(worker) && !worker->depth && !cape_thread_in_task() &&
	    runtime->channel && cape_due_of_threads(runtime))
		cape_watched_save(runtime);
}

void cape_watched_barrier_at(const struct cape_place *place)
{
	struct cape_worker *worker = cape_worker_get();

	if (cape_worker_shares(worker))
		count_barrier(worker);
	cape_thread_barrier_at(place);
}

/* The child goes on as a program that was started by itself. */
static void in_child(void)
{
	if (cape_constructs != &cape_constructs_of_nodes)
		cape_constructs = &cape_constructs_of_threads;
	if (cape_runtime->pool->ids && cape_worker)
		cape_worker->profiling = NULL;
}

/* Always: a run that goes on has of what is to be called at a fork() what was saved. */
static void start(struct cape_runtime *runtime)
{
	(void)runtime;
	pthread_atfork(NULL, NULL, in_child);
}

CAPE_PART(watched, start);

static void *do_nothing(void *nothing)
{
	return nothing;
}

/*
 * With its first thread the C library sets handlers of its own.  It would not do so later if
 * restored memory said that this was done: so there is a thread before.
 */
void cape_watched_prepare_threads(struct cape_runtime *runtime)
{
	cape_thread_maker *make = cape_thread_maker_find();
	pthread_attr_t attributes;
	pthread_t thread;

	pthread_attr_init(&attributes);
	pthread_attr_setstack(&attributes, cape_must_reserve(runtime, FIRST_STACK), FIRST_STACK);
	if (make(&thread, &attributes, do_nothing, NULL) == 0)
		pthread_join(thread, NULL);
	pthread_attr_destroy(&attributes);
}

const struct cape_constructs *cape_watched_start(struct cape_runtime *runtime)
{
	struct cape_constructs *watched = cape_must_reserve(runtime, sizeof(*watched));

	*watched = cape_constructs_of_threads;
	watched->begin_at = cape_watched_begin_at;
	watched->region_run = cape_watched_region_run;
	watched->end = cape_watched_end;
	watched->barrier_at = cape_watched_barrier_at;
	if (runtime->channel->flags & CAPE_CHANNEL_PROFILING)
		cape_profiled_start(runtime, watched);
	runtime->watched->end = watched->end;
	watched->end = end;
	runtime->pool->begin = cape_threadprivate_begin;
	if (runtime->channel->flags & CAPE_CHANNEL_RESTORE)
		cape_watched_prepare_threads(runtime);
	return watched;
}

/* -- going on from a save ------------------------------------------------------------------- */

/*
 * Memory is that of a run that may have been one of nodes, or of other threads.  A node's threads
 * have their values of threadprivate variables when they begin.
 */
static void finish(struct cape_runtime *runtime, const unsigned char *from, uint64_t size)
{
	(void)from, (void)size;
	cape_constructs = runtime->watched->constructs;
	cape_worker = runtime->pool->initial;
	/* What this thread goes on with may have been another one's. */
	cape_threadprivate_keep(runtime, &cape_worker, sizeof(cape_worker));
	cape_threadprivate_keep(runtime, &cape_works_on_node, sizeof(cape_works_on_node));
	if (runtime->threads > 1)
		cape_pool_make(cape_worker, runtime->threads);
	runtime->save->had_threads = !__libc_single_threaded;
	if (runtime->channel->flags & CAPE_CHANNEL_THREADS)
		cape_worker_get()->profiling = runtime->pool->profiling;
}

CAPE_SAVED(constructs, .finish = finish);
