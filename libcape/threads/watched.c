// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * watched.c - counts what a run by threads does, as its first thread sees it, for --stats; and says
 * where the program is.
 */
#include "threads/watched.h"

#include "threads/barrier.h"
#include "threads/profiled.h"

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

static void count_barrier(const struct cape_worker *worker)
{
	struct cape_channel_statistics *counted = statistics();

	if (counted && is_first(worker))
		counted->sync_points++;
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
	if (!active || !cape_runtime->channel)
		return;
	cape_runtime->channel->state.in_region = 0;
	count_barrier(worker);
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
	cape_constructs = &cape_constructs_of_threads;
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
	pthread_atfork(NULL, NULL, in_child);
	return watched;
}
