// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * clauses.c - clauses of the construct that was begun last, and what else is the same for nodes and
 * threads.
 */
#include <limits.h>
#include "openmp/constructs.h"

CAPE_EXPORT void cape_if(int condition)
{
	cape_constructs->innermost()->condition = condition;
}

CAPE_EXPORT void(cape_num_threads)(int nodes)
{
	struct cape_construct *construct = cape_constructs->innermost();

	if (nodes < 1)
		cape_fail(cape_runtime_get(), 0, "%s:%d: num_threads(%d): must be at least 1",
			  construct->place->file, construct->place->line, nodes);
	construct->requested = nodes;
}

CAPE_EXPORT void cape_replicable(int by_turns)
{
	struct cape_construct *construct = cape_constructs->innermost();

	construct->replicable = true;
	construct->by_turns = by_turns;
}

/* Nodes are bound by mpirun. */
CAPE_EXPORT void(cape_proc_bind)(enum cape_bind kind)
{
	cape_constructs->innermost()->bind = kind;
}

/* A chunk size that is not positive in the user's type stands for 1. */
static void set_schedule(enum cape_schedule schedule, unsigned long chunk)
{
	struct cape_construct *construct = cape_constructs->innermost();

	construct->schedule = schedule;
	construct->work.chunk = chunk && chunk <= LONG_MAX ? chunk : 1;
}

CAPE_EXPORT void(cape_schedule_static)(unsigned long chunk)
{
	set_schedule(CAPE_SCHEDULE_STATIC, chunk);
}

CAPE_EXPORT void(cape_schedule_dynamic)(unsigned long chunk)
{
	set_schedule(CAPE_SCHEDULE_DYNAMIC, chunk);
}

CAPE_EXPORT void(cape_schedule_guided)(unsigned long chunk)
{
	set_schedule(CAPE_SCHEDULE_GUIDED, chunk);
}

CAPE_EXPORT void cape_schedule_runtime(void)
{
	const struct cape_settings *settings = cape_constructs->settings();
	unsigned long chunk =
		settings->schedule_chunk > 0 ? (unsigned long)settings->schedule_chunk : 0;

	switch (settings->schedule_kind & ~omp_sched_monotonic) {
	case omp_sched_dynamic:
		cape_schedule_dynamic(chunk);
		break;
	case omp_sched_guided:
		cape_schedule_guided(chunk);
		break;
	case omp_sched_static:
		if (chunk)
			cape_schedule_static(chunk);
		break;
	}
}

CAPE_EXPORT void cape_iterations(unsigned long count)
{
	cape_constructs->innermost()->work.last = count;
}

CAPE_EXPORT void cape_set_ordered(void)
{
	cape_constructs->innermost()->ordered.clause = true;
}

CAPE_EXPORT void cape_set_from_end(void)
{
	cape_constructs->innermost()->work.from_end = true;
}

CAPE_EXPORT void cape_iteration(unsigned long iteration)
{
	cape_constructs->innermost()->ordered.iteration = iteration;
}

CAPE_EXPORT_IS(int, cape_in_team, (void), cape_constructs->number() < cape_constructs->size())
CAPE_EXPORT_IS(int, cape_masked, (int thread), (int)cape_constructs->number() == thread)
CAPE_EXPORT_IS(int, cape_master, (void), cape_constructs->number() == 0)

CAPE_EXPORT int cape_teams_begin(int teams, int thread_limit)
{
	struct cape_settings *settings = cape_constructs->settings();
	int before = settings->thread_limit;

	(void)teams; /* may be fewer */
	if (thread_limit > 0)
		settings->thread_limit = thread_limit;
	else if (settings->teams_thread_limit)
		settings->thread_limit = settings->teams_thread_limit;
	return before;
}

CAPE_EXPORT void cape_teams_end(int before)
{
	cape_constructs->settings()->thread_limit = before;
}
