// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * region.c - the life of constructs on a thread: begin, start, run, end; and what routines ask.
 *
 * From its start on the region has its team, whose size what comes before the block may ask for.
 * The block, which the compiler has made a function of, is run by all of it; one that the compiler
 * has left in its place by the calling thread, which then has all work.
 */
#include <limits.h>
#include <stdio.h>
#include "system/libc.h"
#include "threads/barrier.h"
#include "threads/pool.h"
#include "threads/process.h"
#include "threads/share.h"
#include "threads/single.h"

static bool is_parallel(enum cape_directive directive)
{
	return directive == CAPE_PARALLEL || directive == CAPE_PARALLEL_FOR ||
	       directive == CAPE_PARALLEL_SECTIONS;
}

void cape_thread_begin_at(enum cape_directive directive, unsigned long first, unsigned long last,
			  const struct cape_place *place)
{
	struct cape_worker *worker = cape_worker_get();
	struct cape_construct *construct = cape_worker_push(worker);

	*construct = (struct cape_construct){
		.directive = directive,
		.place = place,
		.work = {.first = first, .last = last},
		.condition = 1,
		.is_parallel = is_parallel(directive),
		.team = worker->size,
		.thread = worker->number,
		.in_team = worker->in_team,
	};
	if (construct->is_parallel)
		construct->settings = worker->settings;
}

/* Of a team without num_threads(). */
static unsigned default_size(const struct cape_worker *worker)
{
	unsigned requested = (unsigned)worker->settings.wanted_nodes;

	return requested ? requested : worker->pool->processors;
}

static unsigned at_most(const struct cape_worker *worker, unsigned requested)
{
	unsigned limit = (unsigned)worker->settings.thread_limit;

	if (worker->settings.dynamic && requested > worker->pool->processors)
		requested = worker->pool->processors;
	if (limit && requested > limit)
		requested = limit;
	if (requested <= CAPE_TEAM_LIMIT)
		return requested;
	if (!__atomic_exchange_n(&worker->pool->limit_reported, true, __ATOMIC_RELAXED))
		dprintf(STDERR_FILENO,
			"cape: %u threads are asked for, but a team has at most %u: the team gets "
			"that many\n",
			requested, CAPE_TEAM_LIMIT);
	return CAPE_TEAM_LIMIT;
}

static unsigned size_of(const struct cape_worker *worker, const struct cape_construct *construct)
{
	if (!worker->is_initial || worker->active_level || !construct->condition ||
	    !worker->settings.max_active_levels)
		return 1;
	return at_most(worker, construct->requested ? (unsigned)construct->requested
						    : default_size(worker));
}

void cape_thread_start(const void *frame)
{
	struct cape_worker *worker = cape_worker_get();
	struct cape_construct *construct = cape_worker_innermost(worker);

	(void)frame;
	if (!construct->is_parallel)
		return;
	construct->requested = (int)size_of(worker, construct);
	construct->active = construct->requested > 1;
	worker->size = (unsigned)construct->requested;
	worker->number = 0;
	worker->in_team = false;
	worker->active_level += construct->active;
	worker->level++;
}

void cape_thread_region_run(void (*body)(void *data), void *data)
{
	struct cape_worker *worker = cape_worker_get();
	const struct cape_construct *construct = cape_worker_innermost(worker);

	if (construct->active)
		cape_pool_run(worker, (unsigned)construct->requested, body, data);
	else
		body(data);
}

void cape_thread_end(enum cape_directive directive, const struct cape_place *place)
{
	struct cape_worker *worker = cape_worker_get();
	const struct cape_construct *construct = cape_worker_innermost(worker);
	/* Tasks that run in the barrier have constructs in its place. */
	bool ran_single = construct->ran_single, waits = construct->waits;
	const struct cape_place *construct_place = construct->place;

	if (construct->directive != directive)
		cape_fail(cape_runtime_get(), 0,
			  "%s:%d: the end of a construct that is not the innermost", place->file,
			  place->line);
	if (!construct->is_parallel) {
		cape_share_leave(worker, construct);
	} else {
		worker->level--;
		worker->active_level -= construct->active;
		worker->size = construct->team;
		worker->in_team = construct->in_team;
		worker->number = construct->thread;
		worker->settings = construct->settings;
	}
	worker->depth--;
	if (!cape_worker_shares(worker))
		return;
	/* A region in a task that runs in the barrier of another single has none. */
	if (directive == CAPE_SINGLE && worker->copyprivate.size)
		cape_copyprivate_take(worker, ran_single, construct_place);
	else if (cape_team_has_barrier(directive) || waits)
		worker->team->kind->meet(worker, construct_place);
}

CAPE_ANSWERS(thread, struct cape_construct *, innermost, cape_worker_innermost(cape_worker_get()))

const struct cape_construct *cape_thread_region(int level)
{
	const struct cape_worker *worker = cape_worker_get();

	return cape_region_at(worker->construct, worker->depth, level);
}

CAPE_ANSWERS(thread, struct cape_settings *, settings, &cape_worker_get()->settings)
CAPE_ANSWERS(thread, unsigned, number, cape_worker_get()->number)
CAPE_ANSWERS(thread, unsigned, size, cape_worker_get()->size)
CAPE_ANSWERS(thread, unsigned, level, cape_worker_get()->level)
CAPE_ANSWERS(thread, unsigned, active_level, cape_worker_get()->active_level)

unsigned cape_thread_max_size(void)
{
	const struct cape_worker *worker = cape_worker_get();

	return at_most(worker, default_size(worker));
}

CAPE_ANSWERS(thread, unsigned, processors, cape_worker_get()->pool->processors)
CAPE_ANSWERS(thread, struct cape_seat, seat, cape_worker_get()->seat)
CAPE_ANSWERS(thread, unsigned, limit, INT_MAX)
