/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * omp_api.c - the OpenMP runtime routines: queries and settings (timing: one_truth.c).
 */
#include "omp.h"

#include "base/context.h"
#include "openmp/openmp.h"
#include "openmp/team.h"

static void set_wanted(struct cape_openmp *openmp, int nodes)
{
	openmp->settings.wanted_nodes = nodes;
	openmp->settings.wanted_by_environment = false;
}

CAPE_EXPORT void omp_set_num_threads(int num_threads)
{
	if (num_threads > 0)
		set_wanted(cape_runtime_get()->openmp, num_threads);
}

CAPE_EXPORT int omp_get_num_threads(void)
{
	return (int)cape_runtime_get()->team;
}

/*
 * What the program has set it is told again: cape_team_tell() tells the user where a region has
 * fewer.  Where it does not, the answer is what regions get, for work may be divided by it.
 */
CAPE_EXPORT int omp_get_max_threads(void)
{
	struct cape_runtime *runtime = cape_runtime_get();
	const struct cape_settings *settings = &runtime->openmp->settings;
	unsigned team = cape_team_default(runtime);

	if (settings->wanted_by_environment || settings->wanted_nodes <= (int)team ||
	    cape_team_agreed(runtime))
		return (int)team;
	if (!runtime->openmp->counted_on)
		runtime->openmp->told_many = false;
	runtime->openmp->counted_on = true;
	return settings->wanted_nodes;
}

CAPE_EXPORT int omp_get_thread_num(void)
{
	return (int)cape_runtime_get()->thread;
}

CAPE_EXPORT int omp_get_num_procs(void)
{
	return (int)cape_runtime_get()->nodes;
}

CAPE_EXPORT int omp_in_parallel(void)
{
	const struct cape_runtime *runtime = cape_runtime_get();

	return runtime->in_region && runtime->nodes > 1;
}

CAPE_EXPORT void omp_set_dynamic(int dynamic_threads)
{
	cape_runtime_get()->openmp->settings.dynamic = !!dynamic_threads;
}

CAPE_EXPORT int omp_get_dynamic(void)
{
	return cape_runtime_get()->openmp->settings.dynamic;
}

/* Nested regions are teams of one, whatever is asked for. */
CAPE_EXPORT void omp_set_nested(int nested)
{
	(void)nested;
}

CAPE_EXPORT int omp_get_nested(void)
{
	return 0;
}

CAPE_EXPORT void omp_set_schedule(omp_sched_t kind, int chunk_size)
{
	struct cape_openmp *openmp = cape_runtime_get()->openmp;

	switch ((unsigned)kind & ~omp_sched_monotonic) {
	case omp_sched_static:
		openmp->settings.schedule_chunk = chunk_size < 1 ? 0 : chunk_size;
		break;
	case omp_sched_dynamic:
	case omp_sched_guided:
		openmp->settings.schedule_chunk = chunk_size < 1 ? 1 : chunk_size;
		break;
	case omp_sched_auto:
		break;
	default:
		return;
	}
	openmp->settings.schedule_kind = (unsigned)kind;
}

CAPE_EXPORT void omp_get_schedule(omp_sched_t *kind, int *chunk_size)
{
	const struct cape_runtime *runtime = cape_runtime_get();

	*kind = (omp_sched_t)runtime->openmp->settings.schedule_kind;
	*chunk_size = runtime->openmp->settings.schedule_chunk;
}

CAPE_EXPORT int omp_get_thread_limit(void)
{
	const struct cape_runtime *runtime = cape_runtime_get();
	int limit = runtime->openmp->settings.thread_limit;

	return limit ? limit : (int)runtime->nodes;
}

CAPE_EXPORT void omp_set_max_active_levels(int max_levels)
{
	if (max_levels >= 0)
		cape_runtime_get()->openmp->settings.max_active_levels = max_levels;
}

CAPE_EXPORT int omp_get_max_active_levels(void)
{
	return cape_runtime_get()->openmp->settings.max_active_levels;
}

CAPE_EXPORT int omp_get_level(void)
{
	return (int)cape_runtime_get()->level;
}

CAPE_EXPORT int omp_get_active_level(void)
{
	return omp_in_parallel();
}

/* The region at LEVEL among those that enclose the caller; NULL at level 0 or out of range. */
static const struct cape_construct *region_at(const struct cape_runtime *runtime, int level)
{
	int seen = 0;

	for (size_t i = 0; i < runtime->openmp->depth; i++)
		if (runtime->openmp->construct[i].is_parallel && ++seen == level + 1)
			return &runtime->openmp->construct[i];
	return NULL;
}

CAPE_EXPORT int omp_get_ancestor_thread_num(int level)
{
	const struct cape_runtime *runtime = cape_runtime_get();
	const struct cape_construct *inner;

	if (level < 0 || level > (int)runtime->level)
		return -1;
	/* A construct keeps what held around it. */
	inner = region_at(runtime, level);
	return inner ? (int)inner->thread : (int)runtime->thread;
}

CAPE_EXPORT int omp_get_team_size(int level)
{
	const struct cape_runtime *runtime = cape_runtime_get();
	const struct cape_construct *inner;

	if (level < 0 || level > (int)runtime->level)
		return -1;
	inner = region_at(runtime, level);
	return inner ? (int)inner->team : (int)runtime->team;
}

/* OpenMP 4 and later: queries whose answers here are always the same. */

CAPE_EXPORT int omp_get_supported_active_levels(void)
{
	return 1;
}

CAPE_EXPORT int omp_get_cancellation(void)
{
	return 0;
}

CAPE_EXPORT omp_proc_bind_t omp_get_proc_bind(void)
{
	return omp_proc_bind_false;
}

CAPE_EXPORT int omp_get_num_teams(void)
{
	return 1;
}

CAPE_EXPORT int omp_get_team_num(void)
{
	return 0;
}

CAPE_EXPORT void omp_set_num_teams(int num_teams)
{
	if (num_teams >= 0)
		cape_runtime_get()->openmp->settings.teams = num_teams;
}

CAPE_EXPORT int omp_get_max_teams(void)
{
	return cape_runtime_get()->openmp->settings.teams;
}

CAPE_EXPORT void omp_set_teams_thread_limit(int thread_limit)
{
	if (thread_limit >= 0)
		cape_runtime_get()->openmp->settings.teams_thread_limit = thread_limit;
}

CAPE_EXPORT int omp_get_teams_thread_limit(void)
{
	return cape_runtime_get()->openmp->settings.teams_thread_limit;
}

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

	return known && cape_runtime_get()->level == 0 ? 0 : -1;
}

CAPE_EXPORT int omp_pause_resource(omp_pause_resource_t kind, int device)
{
	return device == omp_get_initial_device() ? pause_host(kind) : -1;
}

CAPE_EXPORT int omp_pause_resource_all(omp_pause_resource_t kind)
{
	return pause_host(kind);
}

CAPE_EXPORT int omp_get_max_task_priority(void)
{
	return cape_runtime_get()->openmp->max_task_priority;
}
