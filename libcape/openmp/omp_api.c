/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * omp_api.c - the OpenMP runtime routines: queries and settings (timing: one_truth.c).
 */
#include "omp.h"

#include "base/context.h"
#include "openmp/constructs.h"

static void set_wanted(struct cape_settings *settings, int nodes)
{
	settings->wanted_nodes = nodes;
	settings->wanted_by_environment = false;
}

CAPE_EXPORT void omp_set_num_threads(int num_threads)
{
	if (num_threads > 0)
		set_wanted(cape_constructs->settings(), num_threads);
}

CAPE_EXPORT_IS(int, omp_get_num_threads, (void), (int)cape_constructs->size())
CAPE_EXPORT_IS(int, omp_get_max_threads, (void), (int)cape_constructs->max_size())
CAPE_EXPORT_IS(int, omp_get_thread_num, (void), (int)cape_constructs->number())
CAPE_EXPORT_IS(int, omp_get_num_procs, (void), (int)cape_constructs->processors())
CAPE_EXPORT_IS(int, omp_in_parallel, (void), cape_constructs->active_level() > 0)

CAPE_EXPORT void omp_set_dynamic(int dynamic_threads)
{
	cape_constructs->settings()->dynamic = !!dynamic_threads;
}

CAPE_EXPORT_IS(int, omp_get_dynamic, (void), cape_constructs->settings()->dynamic)

/* Nested regions are teams of one, whatever is asked for. */
CAPE_EXPORT void omp_set_nested(int nested)
{
	(void)nested;
}

CAPE_EXPORT_IS(int, omp_get_nested, (void), 0)

CAPE_EXPORT void omp_set_schedule(omp_sched_t kind, int chunk_size)
{
	struct cape_settings *settings = cape_constructs->settings();

	switch ((unsigned)kind & ~omp_sched_monotonic) {
	case omp_sched_static:
		settings->schedule_chunk = chunk_size < 1 ? 0 : chunk_size;
		break;
	case omp_sched_dynamic:
	case omp_sched_guided:
		settings->schedule_chunk = chunk_size < 1 ? 1 : chunk_size;
		break;
	case omp_sched_auto:
		break;
	default:
		return;
	}
	settings->schedule_kind = (unsigned)kind;
}

CAPE_EXPORT void omp_get_schedule(omp_sched_t *kind, int *chunk_size)
{
	const struct cape_settings *settings = cape_constructs->settings();

	*kind = (omp_sched_t)settings->schedule_kind;
	*chunk_size = settings->schedule_chunk;
}

CAPE_EXPORT int omp_get_thread_limit(void)
{
	int limit = cape_constructs->settings()->thread_limit;

	return limit ? limit : (int)cape_constructs->limit();
}

CAPE_EXPORT void omp_set_max_active_levels(int max_levels)
{
	if (max_levels >= 0)
		cape_constructs->settings()->max_active_levels = max_levels;
}

CAPE_EXPORT_IS(int, omp_get_max_active_levels, (void),
	       cape_constructs->settings()->max_active_levels)
CAPE_EXPORT_IS(int, omp_get_level, (void), (int)cape_constructs->level())
CAPE_EXPORT_IS(int, omp_get_active_level, (void), (int)cape_constructs->active_level())

CAPE_EXPORT int omp_get_ancestor_thread_num(int level)
{
	const struct cape_construct *inner;

	if (level < 0 || level > (int)cape_constructs->level())
		return -1;
	/* A construct keeps what held around it. */
	inner = cape_constructs->region(level + 1);
	return inner ? (int)inner->thread : (int)cape_constructs->number();
}

CAPE_EXPORT int omp_get_team_size(int level)
{
	const struct cape_construct *inner;

	if (level < 0 || level > (int)cape_constructs->level())
		return -1;
	inner = cape_constructs->region(level + 1);
	return inner ? (int)inner->team : (int)cape_constructs->size();
}

/* After the list of OMP_PROC_BIND, in a region with the clause, what that says: as gcc's. */
CAPE_EXPORT omp_proc_bind_t omp_get_proc_bind(void)
{
	const struct cape_runtime *runtime = cape_runtime_get();
	unsigned level = cape_constructs->level();
	int bind = cape_places_bind_at(runtime, level);
	const struct cape_construct *region = NULL;

	if (bind && level >= runtime->openmp->binds)
		region = cape_constructs->region((int)level);
	return (omp_proc_bind_t)(region && region->bind ? (int)region->bind : bind);
}

/* OpenMP 4 and later: queries whose answers here are always the same. */

CAPE_EXPORT_IS(int, omp_get_supported_active_levels, (void), 1)
CAPE_EXPORT_IS(int, omp_get_cancellation, (void), 0)
CAPE_EXPORT_IS(int, omp_get_num_teams, (void), 1)
CAPE_EXPORT_IS(int, omp_get_team_num, (void), 0)

CAPE_EXPORT void omp_set_num_teams(int num_teams)
{
	if (num_teams >= 0)
		cape_constructs->settings()->teams = num_teams;
}

CAPE_EXPORT_IS(int, omp_get_max_teams, (void), cape_constructs->settings()->teams)

CAPE_EXPORT void omp_set_teams_thread_limit(int thread_limit)
{
	if (thread_limit >= 0)
		cape_constructs->settings()->teams_thread_limit = thread_limit;
}

CAPE_EXPORT_IS(int, omp_get_teams_thread_limit, (void),
	       cape_constructs->settings()->teams_thread_limit)

CAPE_EXPORT void omp_fulfill_event(omp_event_handle_t event)
{
	(void)event;
	cape_fail(
		cape_runtime_get(), 0,
		"omp_fulfill_event() of an event that no task has: the clause detach, which makes "
		"them, is not supported");
}

/* Nothing is kept between regions that could be given back. */
static int pause_host(omp_pause_resource_t kind)
{
	bool known = kind == omp_pause_soft || kind == omp_pause_hard;

	return known && cape_constructs->level() == 0 ? 0 : -1;
}

CAPE_EXPORT_IS(int, omp_pause_resource, (omp_pause_resource_t kind, int device),
	       device == omp_get_initial_device() ? pause_host(kind) : -1)
CAPE_EXPORT_IS(int, omp_pause_resource_all, (omp_pause_resource_t kind), pause_host(kind))
CAPE_EXPORT_IS(int, omp_get_max_task_priority, (void),
	       cape_runtime_get()->openmp->max_task_priority)
