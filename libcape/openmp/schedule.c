/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * schedule.c - which iterations, sections and blocks are this node's.
 */
#include <limits.h>
#include "omp.h"
#include "races/check.h"
#include "model/jobs.h"
#include "openmp/handed_out.h"
#include "openmp/ordered.h"
#include "channel/board.h"
#include "channel/service.h"
#include "openmp/openmp.h"
#include "sync/log.h"
#include "sync/sync_point.h"

/* A chunk size that is not positive in the user's type stands for 1. */
static void set_schedule(enum cape_schedule schedule, unsigned long chunk)
{
	struct cape_construct *construct = cape_innermost(cape_runtime_get());

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
	const struct cape_runtime *runtime = cape_runtime_get();
	unsigned long chunk = runtime->openmp->settings.schedule_chunk > 0
				      ? (unsigned long)runtime->openmp->settings.schedule_chunk
				      : 0;

	switch (runtime->openmp->settings.schedule_kind & ~omp_sched_monotonic) {
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
	cape_innermost(cape_runtime_get())->work.last = count;
}

static int next_chunk(struct cape_runtime *runtime, unsigned long *left, unsigned long *right)
{
	struct cape_construct *construct = cape_innermost(runtime);
	bool handed_out = construct->schedule != CAPE_SCHEDULE_STATIC;

	if (runtime->thread >= runtime->team || construct->work.first >= construct->work.last)
		return 0;
	if (runtime->team > 1 && handed_out)
		return cape_handed_out_next(runtime, left, right);
	if (runtime->nodes == 1 && handed_out && cape_is_shared_out(runtime))
		cape_handed_out_alone(runtime);
	construct = cape_innermost(runtime);
	/* One thread does all chunks in their order: one piece costs the call of one. */
	if (runtime->team == 1 && !handed_out)
		construct->work.chunk = 0;
	return cape_job_take(runtime, &construct->work) &&
	       cape_job_next(&construct->work.job, left, right);
}

CAPE_EXPORT int cape_chunk(unsigned long *left, unsigned long *right)
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

CAPE_EXPORT int cape_section(void)
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
CAPE_EXPORT int cape_single(void)
{
	struct cape_runtime *runtime = cape_runtime_get();
	struct cape_construct *construct = cape_innermost(runtime);

	construct->ran_single = runtime->thread == 0;
	return construct->ran_single;
}

CAPE_EXPORT int cape_single_any(void)
{
	struct cape_runtime *runtime = cape_runtime_get();
	struct cape_construct *construct = cape_innermost(runtime);

	if (!cape_is_shared_out(runtime) || runtime->team == 1)
		return cape_single();
	if (runtime->channel->board.open)
		return construct->ran_single = cape_board_first(runtime->channel, construct->id);
	construct->ran_single =
		cape_log_ask(runtime, (struct cape_service_request){.kind = CAPE_SERVICE_SINGLE,
								    .id = construct->id,
								    .a = runtime->team})
			->result != 0;
	return construct->ran_single;
}

CAPE_EXPORT int cape_masked(int thread)
{
	return (int)cape_runtime_get()->thread == thread;
}

CAPE_EXPORT int cape_master(void)
{
	return cape_runtime_get()->thread == 0;
}

CAPE_EXPORT int cape_is_last(void)
{
	struct cape_runtime *runtime = cape_runtime_get();

	/* What comes now are values of lastprivate variables. */
	cape_check_pause(runtime, true);
	return cape_innermost(runtime)->ran_last;
}
