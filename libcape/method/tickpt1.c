// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * tickpt1.c - method tickpt1: the monitor captures the pages of shared memory that are written to.
 */
#include "base/context.h"
#include "base/method.h"
#include "channel/capture.h"
#include "memory/agent.h"
#include "memory/captured.h"
#include "memory/shared.h"
#include "method/locking.h"

static int add_range(void *context, struct cape_area *area, struct cape_range range)
{
	struct cape_runtime *runtime = context;
	struct cape_range *list = cape_channel_ranges(runtime->channel);
	uint64_t *count = &runtime->channel->capture.range_count;
	uint64_t start = cape_page_floor(range.start), end = cape_page_ceiling(range.end);

	(void)area;
	if (*count && start <= list[*count - 1].end) {
		if (end > list[*count - 1].end)
			list[*count - 1].end = end;
		return 0;
	}
	if (*count == CAPE_RANGES_LIMIT)
		cape_fail(runtime, 0, "shared memory is in more than %llu pieces",
			  CAPE_RANGES_LIMIT);
	list[(*count)++] = (struct cape_range){start, end};
	return 0;
}

static void lock(struct cape_runtime *runtime)
{
	runtime->channel->capture.range_count = 0;
	cape_shared_each_possible(runtime, true, add_range, runtime);
	cape_agent_request(runtime->channel, CAPE_REQUEST_LOCK);
}

struct generation {
	struct cape_runtime *runtime;
	struct cape_runs *runs;
};

static int generate_range(void *context, struct cape_area *area, struct cape_range range)
{
	const struct generation *generation = context;

	return cape_locking_diff(generation->runtime, area, range, generation->runs);
}

static int generate(struct cape_runtime *runtime, bool all, struct cape_runs *runs)
{
	struct generation generation = {runtime, runs};

	return cape_shared_each(runtime, all, generate_range, &generation);
}

const struct cape_method cape_method_tickpt1 = {
	.base = &cape_base_captured,
	.by_page = true,
	.start = cape_locking_start,
	.enter = cape_locking_enter,
	.lock = lock,
	.save = cape_locking_save,
	.generate = generate,
	.take_registers = cape_locking_take_registers,
};
