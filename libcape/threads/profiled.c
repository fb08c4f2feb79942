// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * profiled.c - what each thread spends its time with, by construct.
 *
 * A thread works or waits.  Between regions a thread of the pool waits outside of all constructs;
 * what it waits at the end of a region, for those who come later, is the region's: the first thread
 * adds that up when all have come.
 */
#include "threads/profiled.h"

#include "openmp/region.h"
#include "profile/profile.h"
#include "threads/barrier.h"
#include "threads/process.h"
#include "threads/watched.h"

/* A region that runs. */
struct profiled_region {
	void (*body)(void *data);
	void *data;
	const struct cape_place *place;
	const char *what;
};

static struct cape_profiling *own(void)
{
	return cape_worker_get()->profiling;
}

/* NULL where a thread works alone: there is nobody to wait for. */
static struct cape_profiling *own_in_team(void)
{
	const struct cape_worker *worker = cape_worker_get();

	return cape_worker_shares(worker) ? worker->profiling : NULL;
}

static void enter(struct cape_profiling *profiling, const struct cape_place *place,
		  const char *what)
{
	if (profiling)
		cape_profiling_enter(profiling, place, what);
}

static void leave(struct cape_profiling *profiling)
{
	if (profiling)
		cape_profiling_leave(profiling);
}

static void be(struct cape_profiling *profiling, enum cape_phase phase)
{
	if (profiling)
		cape_profiling_be(profiling, phase);
}

static void count_barrier(struct cape_profiling *profiling)
{
	if (profiling)
		profiling->profile->construct[profiling->profile->current].sync_points++;
}

/* -- regions -------------------------------------------------------------------------------- */

static void begin_at(enum cape_directive directive, unsigned long first, unsigned long last,
		     const struct cape_place *place)
{
	cape_watched_begin_at(directive, first, last, place);
	enter(own(), place, cape_region_name(directive));
}

/* The first SIZE threads of the pool have profiles from here on; only the first thread opens one.
 */
static void open_profiles(struct cape_pool *pool, unsigned size)
{
	struct cape_runtime *runtime = cape_runtime;
	struct cape_profile *first = cape_channel_profile(runtime->channel);

	for (; first->threads < size && first->threads < CAPE_PROFILE_THREADS; first->threads++)
		cape_profiling_open(runtime, &pool->profiling[first->threads],
				    cape_channel_thread_profile(runtime->channel, first->threads),
				    first->zero, CAPE_PHASE_WAIT);
}

static void run_body(void *data)
{
	const struct profiled_region *region = data;
	struct cape_worker *worker = cape_worker_get();

	if (worker->number && worker->number < CAPE_PROFILE_THREADS) {
		worker->profiling = &worker->pool->profiling[worker->number];
		enter(worker->profiling, region->place, region->what);
		be(worker->profiling, CAPE_PHASE_WORK);
	}
	region->body(region->data);
	be(worker->profiling, CAPE_PHASE_WAIT);
}

/* All have come to the end. */
static void leave_all(const struct cape_worker *worker)
{
	for (unsigned i = 1; i < worker->size && i < CAPE_PROFILE_THREADS; i++) {
		count_barrier(&worker->pool->profiling[i]);
		leave(&worker->pool->profiling[i]);
	}
}

static void region_run(void (*body)(void *data), void *data)
{
	struct cape_worker *worker = cape_worker_get();
	const struct cape_construct *construct = cape_worker_innermost(worker);
	struct profiled_region region = {body, data, construct->place,
					 cape_region_name(construct->directive)};

	if (!construct->active || !worker->profiling) {
		cape_watched_region_run(body, data);
		return;
	}
	open_profiles(worker->pool, (unsigned)construct->requested);
	cape_watched_region_run(run_body, &region);
	/* Not in the child of a fork(). */
	if (!worker->profiling)
		return;
	leave_all(worker);
	count_barrier(worker->profiling);
	be(worker->profiling, CAPE_PHASE_WORK);
}

static void end(enum cape_directive directive, const struct cape_place *place)
{
	struct cape_worker *worker = cape_worker_get();
	bool waits = cape_worker_shares(worker) && cape_team_has_barrier(directive);

	if (waits) {
		count_barrier(worker->profiling);
		be(worker->profiling, CAPE_PHASE_WAIT);
	}
	cape_watched_end(directive, place);
	if (waits)
		be(worker->profiling, CAPE_PHASE_WORK);
	leave(worker->profiling);
}

static void barrier_at(const struct cape_place *place)
{
	struct cape_worker *worker = cape_worker_get();
	struct cape_profiling *profiling = worker->profiling;

	if (!cape_worker_shares(worker))
		return;
	enter(profiling, place, "barrier");
	count_barrier(profiling);
	be(profiling, CAPE_PHASE_WAIT);
	cape_watched_barrier_at(place);
	be(profiling, CAPE_PHASE_WORK);
	leave(profiling);
}

static void values_read(void)
{
	struct cape_profiling *profiling = own();

	be(profiling, CAPE_PHASE_WAIT);
	cape_thread_values_read();
	be(profiling, CAPE_PHASE_WORK);
}

/* -- turns and locks ------------------------------------------------------------------------ */

/* The innermost construct's turns are taken by a team. */
static bool takes_turns(const struct cape_worker *worker)
{
	return cape_worker_shares(worker) && worker->depth &&
	       worker->construct[worker->depth - 1].ordered.clause;
}

/* Iterations that did not meet the ordered construct are counted after a chunk, by turns. */
static int chunk(unsigned long *left, unsigned long *right)
{
	struct cape_worker *worker = cape_worker_get();
	struct cape_profiling *profiling = takes_turns(worker) ? worker->profiling : NULL;
	int more;

	be(profiling, CAPE_PHASE_WAIT);
	more = cape_thread_chunk(left, right);
	be(profiling, CAPE_PHASE_WORK);
	return more;
}

static void ordered_begin_at(const struct cape_place *place)
{
	struct cape_worker *worker = cape_worker_get();
	struct cape_profiling *profiling = takes_turns(worker) ? worker->profiling : NULL;

	enter(profiling, place, "ordered");
	be(profiling, CAPE_PHASE_WAIT);
	cape_thread_ordered_begin_at(place);
	be(profiling, CAPE_PHASE_WORK);
}

static void ordered_end(void)
{
	struct cape_worker *worker = cape_worker_get();

	cape_thread_ordered_end();
	if (takes_turns(worker))
		leave(worker->profiling);
}

static void critical_begin_at(const char *name, const struct cape_place *place)
{
	struct cape_profiling *profiling = own_in_team();

	enter(profiling, place, "critical");
	be(profiling, CAPE_PHASE_WAIT);
	cape_thread_critical_begin_at(name, place);
	be(profiling, CAPE_PHASE_WORK);
}

static void critical_end(const char *name)
{
	cape_thread_critical_end(name);
	leave(own_in_team());
}

static void atomic_begin_at(const volatile void *variable, unsigned long size, int kind,
			    const struct cape_place *place)
{
	struct cape_profiling *profiling = own_in_team();

	enter(profiling, place, "atomic");
	be(profiling, CAPE_PHASE_WAIT);
	cape_thread_atomic_begin_at(variable, size, kind, place);
	be(profiling, CAPE_PHASE_WORK);
}

static void atomic_end(void)
{
	cape_thread_atomic_end();
	leave(own_in_team());
}

/* Most of the time nobody has it. */
static void set_lock(omp_lock_t *lock)
{
	struct cape_profiling *profiling = own();

	if (cape_thread_test_lock(lock))
		return;
	be(profiling, CAPE_PHASE_WAIT);
	cape_thread_set_lock(lock);
	be(profiling, CAPE_PHASE_WORK);
}

static void set_nest_lock(omp_nest_lock_t *lock)
{
	struct cape_profiling *profiling = own();

	if (cape_thread_test_nest_lock(lock))
		return;
	be(profiling, CAPE_PHASE_WAIT);
	cape_thread_set_nest_lock(lock);
	be(profiling, CAPE_PHASE_WORK);
}

/* -- tasks ---------------------------------------------------------------------------------- */

static void wait_for_tasks(void (*wait)(const struct cape_place *place),
			   const struct cape_place *place)
{
	struct cape_profiling *profiling = own_in_team();

	enter(profiling, place, "taskwait");
	be(profiling, CAPE_PHASE_WAIT);
	wait(place);
	be(profiling, CAPE_PHASE_WORK);
	leave(profiling);
}

static void taskwait_at(const struct cape_place *place)
{
	wait_for_tasks(cape_thread_taskwait_at, place);
}

static void taskgroup_end_at(const struct cape_place *place)
{
	wait_for_tasks(cape_thread_taskgroup_end_at, place);
}

/* -- the run -------------------------------------------------------------------------------- */

void cape_profiled_start(struct cape_runtime *runtime, struct cape_constructs *watched)
{
	struct cape_task_calls *tasks = cape_must_reserve(runtime, sizeof(*tasks));
	struct cape_lock_calls *locks = cape_must_reserve(runtime, sizeof(*locks));

	*tasks = *watched->tasks;
	tasks->taskwait_at = taskwait_at;
	tasks->taskgroup_end_at = taskgroup_end_at;
	*locks = *watched->locks;
	locks->set_lock = set_lock;
	locks->set_nest_lock = set_nest_lock;
	watched->tasks = tasks;
	watched->locks = locks;
	watched->begin_at = begin_at;
	watched->region_run = region_run;
	watched->end = end;
	watched->barrier_at = barrier_at;
	watched->values_read = values_read;
	watched->chunk = chunk;
	watched->ordered_begin_at = ordered_begin_at;
	watched->ordered_end = ordered_end;
	watched->critical_begin_at = critical_begin_at;
	watched->critical_end = critical_end;
	watched->atomic_begin_at = atomic_begin_at;
	watched->atomic_end = atomic_end;
	runtime->pool->profiling = cape_must_reserve(
		runtime, CAPE_PROFILE_THREADS * sizeof(*runtime->pool->profiling));
	runtime->pool->be = cape_profiling_be;
}

void cape_profiled_zero(struct cape_runtime *runtime)
{
	struct cape_profiling *first = runtime->pool->profiling;
	struct cape_profile *profile = cape_channel_profile(runtime->channel);

	if (!first)
		return;
	cape_profiling_open(runtime, first, profile, cape_now(), CAPE_PHASE_WORK);
	profile->threads = 1;
	cape_worker_get()->profiling = first;
}

/* Of threads that still run, as after an exit() in a region, the monitor adds up the rest. */
void cape_profiled_stop(struct cape_runtime *runtime)
{
	struct cape_profiling *first = runtime->pool->profiling;
	struct cape_worker *worker = cape_worker_get();
	uint64_t now = cape_now();

	if (!first || !worker->is_initial || worker->in_team)
		return;
	for (unsigned i = 0; i < first->profile->threads; i++) {
		cape_profile_add_up(first[i].profile, now);
		first[i].profile->since = 0;
	}
	worker->profiling = NULL;
}
