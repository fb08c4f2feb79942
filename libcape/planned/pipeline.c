// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * pipeline.c - what threads run between two sync points, and hand on to each other by flushes: a
 * node publishes what others may read of it, and no more.
 *
 * Each node computes this by itself, from what every thread was described to read and write.
 */
#include "base/method.h"
#include "need/parts.h"
#include "openmp/constructs.h"
#include "openmp/team.h"
#include "planned/planned.h"
#include "profile/profile.h"
#include "sync/log.h"

#define ROUNDS_PAY 4096u /* described, for each time that it is asked what others may read */

/* -- whether a description pays where nothing is planned: each node decides by itself ---------- */

static struct cape_refused *heavy_of(struct cape_pipeline *pipeline, const void *passage)
{
	return cape_refused_spot(pipeline->heavy, CAPE_PIPELINES, passage);
}

/* What was described last, if anything was. */
static void weigh(struct cape_pipeline *pipeline)
{
	const void *passage = pipeline->weighed;
	struct cape_refused *heavy = heavy_of(pipeline, passage);
	bool pays = pipeline->described <= ROUNDS_PAY * (1 + pipeline->asked);

	if (!passage)
		return;
	pipeline->weighed = NULL;
	if (heavy->where != passage || pays)
		*heavy = (struct cape_refused){.where = passage};
	if (!pays)
		cape_refused_wait(heavy);
}

/* -- description ------------------------------------------------------------------------------- */

static bool is_possible(const struct cape_runtime *runtime)
{
	return cape_is_concurrent(runtime) && cape_constructs->size() == cape_team_all(runtime) &&
	       cape_log_is_usable(runtime) && !runtime->check &&
	       !(runtime->channel->flags & CAPE_CHANNEL_RACES);
}

/* Whether it is to be described; PASSAGE is where the program does it. */
static bool begin(struct cape_runtime *runtime, const void *passage)
{
	struct cape_planned *planned = runtime->planned;
	struct cape_pipeline *pipeline = &planned->pipeline;

	planned->construct = cape_constructs->innermost();
	planned->where = passage;
	if (!is_possible(runtime)) {
		if (runtime->need->known)
			cape_plan_fall_back(runtime, NULL);
		return false;
	}
	weigh(pipeline);
	pipeline->is_planned = cape_plan_open(runtime, planned->construct->place);
	if (!pipeline->is_planned && cape_refused_waits(heavy_of(pipeline, passage), passage))
		return false;
	pipeline->describing = true;
	pipeline->thread = 0;
	cape_plan_begin_describing(runtime);
	return true;
}

CAPE_EXPORT int cape_pipeline_begin(void)
{
	struct cape_runtime *runtime = cape_runtime_get();
	const struct cape_plan_team *team = runtime->planned->team;
	bool described = false;

	if (!team || runtime->nodes == 1 || !team->shares(runtime))
		return 0;
	cape_profile_phase(runtime, CAPE_PHASE_FIND);
	team->gather();
	if (team->describes())
		described = begin(runtime, __builtin_return_address(0));
	if (!described) {
		team->gather();
		cape_profile_phase(runtime, CAPE_PHASE_WORK);
	}
	return described;
}

CAPE_EXPORT int cape_pipeline_thread(void)
{
	struct cape_runtime *runtime = cape_runtime_get();
	struct cape_planned *planned = runtime->planned;
	unsigned thread = planned->pipeline.thread++;

	if (planned->failed || thread >= cape_team_all(runtime))
		return -1;
	planned->thread = thread;
	planned->node = thread / runtime->threads;
	planned->parts++;
	return (int)thread;
}

CAPE_EXPORT int cape_pipeline_own(void)
{
	return (int)cape_constructs->number();
}

CAPE_EXPORT void cape_pipeline_share(int thread, unsigned long count, int from_end,
				     unsigned long *left, unsigned long *right)
{
	const struct cape_work work = {.last = count, .from_end = from_end};
	struct cape_job job = cape_job_make(&work, (unsigned long)thread, cape_constructs->size());

	if (!cape_job_next(&job, left, right))
		*left = *right = 0;
}

/* -- in a plan --------------------------------------------------------------------------------- */

static void ready(struct cape_runtime *runtime, unsigned long loop)
{
	struct cape_pipeline *pipeline = &runtime->planned->pipeline;
	bool found = cape_readable_find(runtime, loop);

	pipeline->describing = false;
	if (pipeline->is_planned && !found)
		cape_plan_fall_back(runtime, NULL);
	pipeline->is_planned = pipeline->is_planned && found && cape_plan_start(runtime);
	if (pipeline->is_planned) {
		cape_planned_await_all(runtime);
	} else {
		pipeline->weighed = runtime->planned->where;
		pipeline->described = runtime->planned->rounds;
		pipeline->asked = 0;
	}
	if (found)
		cape_readable_begin(runtime);
}

CAPE_EXPORT void cape_pipeline_ready(unsigned long loop, int locks)
{
	struct cape_runtime *runtime = cape_runtime_get();

	runtime->planned->pipeline.locks = locks;
	ready(runtime, loop);
	runtime->planned->team->gather();
	cape_profile_phase(runtime, CAPE_PHASE_WORK);
}

CAPE_EXPORT void cape_pipeline_round(void)
{
	cape_readable_round(cape_runtime_get());
}
