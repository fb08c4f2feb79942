/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * schedule.c - which iterations, sections and blocks are this node's.
 */
#include "base/job.h"
#include "races/check.h"
#include "model/jobs.h"
#include "openmp/handed_out.h"
#include "openmp/ordered.h"
#include "message/port.h"
#include "openmp/constructs.h"
#include "sync/log.h"
#include "sync/sync_point.h"

/* Of a team whose threads run one after the other, the first has all that is handed out. */
static int next_of_first(struct cape_runtime *runtime, unsigned long *left, unsigned long *right)
{
	struct cape_work *work = &cape_innermost(runtime)->work;

	if (runtime->thread || work->has_job)
		return 0;
	work->has_job = true;
	*left = work->first;
	*right = work->last;
	return 1;
}

static int next_chunk(struct cape_runtime *runtime, unsigned long *left, unsigned long *right)
{
	struct cape_construct *construct = cape_innermost(runtime);
	bool handed_out = construct->schedule != CAPE_SCHEDULE_STATIC;

	if (runtime->thread >= runtime->team || construct->work.first >= construct->work.last)
		return 0;
	if (handed_out && cape_is_by_turns(runtime) && runtime->level == 1)
		return next_of_first(runtime, left, right);
	if (runtime->team > 1 && handed_out)
		return cape_handed_out_next(runtime, left, right);
	if (runtime->nodes == 1 && handed_out && cape_is_shared_out(runtime)) {
		cape_handed_out_alone(runtime);
		construct = cape_innermost(runtime);
	}
	/* One thread does all chunks in their order: one piece costs the call of one. */
	if (runtime->team == 1 && !handed_out)
		construct->work.chunk = 0;
	return cape_job_take(runtime, &construct->work) &&
	       cape_job_next(&construct->work.job, left, right);
}

int cape_node_chunk(unsigned long *left, unsigned long *right)
{
	struct cape_runtime *runtime = cape_runtime_get();
	struct cape_construct *construct;

	cape_ordered_chunk_end(runtime, cape_innermost(runtime));
	if (!next_chunk(runtime, left, right))
		return 0;
	/* In a run that goes on in here, the list of constructs may lie elsewhere. */
	construct = cape_innermost(runtime);
	cape_ordered_chunk_begin(construct, *left, *right);
	construct->ran_last = *right == construct->work.last;
	runtime->sync->time_stamp = *right;
	return 1;
}

/* In a loop that every node runs in whole: the threads' iterations, one after the other. */
static int next_of_threads(struct cape_runtime *runtime, unsigned threads, unsigned long *left,
			   unsigned long *right)
{
	struct cape_construct *construct = cape_innermost(runtime);
	struct cape_work *work = &construct->work;
	bool first = !work->has_job;
	unsigned before = construct->part;

	if (first)
		work->job = cape_job_make(work, 0, threads);
	work->has_job = true;
	while (!cape_job_next(&work->job, left, right)) {
		if (construct->part + 1 >= threads)
			return 0;
		work->job = cape_job_make(work, ++construct->part, threads);
	}
	construct->ran_last = *right == work->last;
	runtime->sync->time_stamp = *right;
	return first || construct->part == before ? 1 : 2;
}

CAPE_EXPORT int cape_chunk_of_threads(unsigned long *left, unsigned long *right)
{
	struct cape_runtime *runtime = cape_runtime_get();
	const struct cape_construct *region = &runtime->openmp->construct[0];

	if (runtime->in_region || runtime->level != 1 || !region->whole || region->by_turns)
		return cape_chunk(left, right);
	return next_of_threads(runtime, region->whole, left, right);
}

int cape_node_section(void)
{
	struct cape_runtime *runtime = cape_runtime_get();
	struct cape_construct *construct = cape_innermost(runtime);
	unsigned long section = construct->next++;

	if (runtime->thread >= runtime->team || !cape_job_take(runtime, &construct->work) ||
	    section % construct->work.job.workers != construct->work.job.worker)
		return 0;
	construct->ran_last = section + 1 == construct->work.last;
	runtime->sync->time_stamp = section + 1;
	return 1;
}

/* The master: what it opens, all nodes can use. */
int cape_node_single(void)
{
	struct cape_runtime *runtime = cape_runtime_get();
	struct cape_construct *construct = cape_innermost(runtime);

	construct->ran_single = runtime->thread == 0;
	return construct->ran_single;
}

int cape_node_single_any(void)
{
	struct cape_runtime *runtime = cape_runtime_get();
	struct cape_construct *construct = cape_innermost(runtime);

	if (!cape_is_shared_out(runtime) || runtime->team == 1)
		return cape_node_single();
	construct->ran_single = cape_port(runtime)->first(runtime, construct->id, runtime->team);
	return construct->ran_single;
}

int cape_node_is_last(void)
{
	struct cape_runtime *runtime = cape_runtime_get();
	struct cape_construct *construct = cape_innermost(runtime);

	/* What comes now are values of lastprivate variables. */
	cape_check_pause(runtime, true);
	construct->assigns = true;
	return construct->ran_last;
}
