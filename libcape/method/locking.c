// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * locking.c - asking the monitor to lock memory, and comparing what it captured.
 */
#include "method/locking.h"

#include <string.h>
#include "base/method.h"
#include "memory/agent.h"
#include "memory/captured.h"
#include "memory/shared.h"
#include "memory/twin.h"
#include "system/libc.h"

void cape_locking_start(struct cape_runtime *runtime)
{
	int error = cape_agent_start(runtime->channel);

	if (error < 0)
		cape_fail(runtime, 0,
			  "this method needs Syscall User Dispatch, which Linux has since 5.11: %s",
			  strerror(-error));
}

static int fold_range(void *context, struct cape_area *area, struct cape_range range)
{
	struct cape_runtime *runtime = context;

	if (area->kind == CAPE_AREA_MASTER)
		cape_twin_fold(runtime->areas, area, range);
	return 0;
}

void cape_locking_enter(struct cape_runtime *runtime)
{
	cape_shared_each(runtime, true, fold_range, runtime);
	runtime->method->lock(runtime);
}

void cape_lock_everything(struct cape_runtime *runtime)
{
	runtime->channel->capture.range_count = 0;
	cape_agent_request(runtime->channel, CAPE_REQUEST_LOCK);
}

void cape_locking_save(struct cape_runtime *runtime)
{
	cape_agent_request(runtime->channel, CAPE_REQUEST_SAVE);
}

uint64_t cape_locking_take_registers(struct cape_runtime *runtime)
{
	cape_agent_request(runtime->channel, CAPE_REQUEST_REGISTERS);
	return runtime->channel->capture.registers_size;
}

int cape_locking_diff(struct cape_runtime *runtime, struct cape_area *area, struct cape_range range,
		      struct cape_runs *runs)
{
	if (cape_shared_stays(runtime, area))
		return 0;
	return cape_area_diff(runtime->areas, area, range, runs);
}

/* Going through memory in the order of addresses. */
struct generation {
	struct cape_runtime *runtime;
	struct cape_runs *runs;
	uint64_t at; /* all before was looked at */
};

static int generate_range(void *context, struct cape_area *area, struct cape_range range)
{
	struct generation *generation = context;
	struct cape_range before = {generation->at, range.start};
	int error = cape_captured_diff(before, generation->runs);

	generation->at = range.end;
	return error ? error
		     : cape_locking_diff(generation->runtime, area, range, generation->runs);
}

int cape_locking_generate_everything(struct cape_runtime *runtime, bool all, struct cape_runs *runs)
{
	struct generation generation = {.runtime = runtime, .runs = runs};
	int error = 0;

	if (all)
		error = cape_shared_each(runtime, true, generate_range, &generation);
	return error ? error
		     : cape_captured_diff((struct cape_range){generation.at, UINT64_MAX}, runs);
}
