/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * captured.c - what the monitor captured, compared with memory.
 */
#include "memory/captured.h"

#include <string.h>
#include "channel/capture.h"
#include "checkpoint/diff.h"
#include "memory/agent.h"
#include "memory/shared.h"
#include "memory/threadprivate.h"

static int add_range(void *context, struct cape_area *area, struct cape_range range)
{
	struct cape_runtime *runtime = context;
	struct cape_channel_range *list = cape_channel_ranges(runtime->channel);
	uint64_t *count = &runtime->channel->capture.range_count;
	uint64_t start = range.start & -CAPE_PAGE, end = (range.end + CAPE_PAGE - 1) & -CAPE_PAGE;

	(void)area;
	if (*count && start <= list[*count - 1].end) {
		if (end > list[*count - 1].end)
			list[*count - 1].end = end;
		return 0;
	}
	if (*count == CAPE_RANGES_LIMIT)
		cape_fail(runtime, 0, "shared memory is in more than %llu pieces",
			  CAPE_RANGES_LIMIT);
	list[(*count)++] = (struct cape_channel_range){start, end};
	return 0;
}

void cape_captured_lock(struct cape_runtime *runtime)
{
	struct cape_channel *channel = runtime->channel;

	channel->capture.range_count = 0;
	if (!cape_method_takes_all(channel->method))
		cape_shared_each_possible(runtime, true, add_range, runtime);
	cape_agent_request(channel, CAPE_REQUEST_LOCK);
}

void cape_captured_save(struct cape_runtime *runtime)
{
	cape_agent_request(runtime->channel, CAPE_REQUEST_SAVE);
}

static const unsigned char *at(struct cape_channel *channel, uint64_t offset, uint64_t more)
{
	return offset ? (const unsigned char *)channel + offset + more : NULL;
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

int cape_captured_diff(struct cape_channel *channel, struct cape_range range,
		       struct cape_runs *runs)
{
	const struct cape_captured *list = cape_channel_captured(channel);
	int error = 0;

	for (uint64_t i = cape_captured_find(list, channel->capture.count, range.start);
	     !error && i < channel->capture.count && list[i].address < range.end; i++) {
		uint64_t start = list[i].address > range.start ? list[i].address : range.start;
		uint64_t end = least(list[i].address + list[i].length, range.end);
		uint64_t more = start - list[i].address;
		const void *now = at(channel, list[i].image, more);

		error = cape_diff(now ? now : (const void *)(uintptr_t)start,
				  at(channel, list[i].twin, more), end - start, start, runs);
	}
	return error;
}

/* Going through memory in the order of addresses. */
struct generation {
	struct cape_runtime *runtime;
	struct cape_runs *runs;
	bool everything;
	uint64_t at; /* all before was looked at */
};

static int generate_range(void *context, struct cape_area *area, struct cape_range range)
{
	struct generation *generation = context;
	struct cape_runtime *runtime = generation->runtime;
	struct cape_range before = {generation->at, range.start};
	int error = 0;

	if (generation->everything)
		error = cape_captured_diff(runtime->channel, before, generation->runs);
	generation->at = range.end;
	if (error)
		return error;
	if (!area)
		return cape_threadprivate_diff(runtime, range, generation->runs);
	return cape_area_diff(runtime->areas, area, range, generation->runs);
}

int cape_captured_generate(struct cape_runtime *runtime, bool end, struct cape_runs *runs)
{
	struct generation generation = {
		.runtime = runtime,
		.runs = runs,
		.everything = cape_method_takes_all(runtime->channel->method),
	};
	struct cape_range rest = {.end = UINT64_MAX};
	int error = 0;

	if (end)
		error = cape_shared_each_apart(runtime, generate_range, &generation);
	else if (!generation.everything)
		error = cape_shared_each(runtime, false, generate_range, &generation);
	rest.start = generation.at;
	if (!error && generation.everything)
		error = cape_captured_diff(runtime->channel, rest, runs);
	return error;
}

static int fold_range(void *context, struct cape_area *area, struct cape_range range)
{
	struct cape_runtime *runtime = context;

	if (area->kind == CAPE_AREA_MASTER)
		cape_area_fold(runtime->areas, area, range);
	return 0;
}

void cape_captured_enter(struct cape_runtime *runtime)
{
	cape_shared_each(runtime, true, fold_range, runtime);
	cape_captured_lock(runtime);
}

const unsigned char *cape_captured_base(struct cape_channel *channel, uint64_t address,
					uint64_t end, uint64_t *known)
{
	const struct cape_captured *list = cape_channel_captured(channel);
	uint64_t i = cape_captured_find(list, channel->capture.count, address);

	if (i == channel->capture.count || list[i].address > address) {
		*known = i == channel->capture.count ? end : least(end, list[i].address);
		return (const unsigned char *)(uintptr_t)address;
	}
	*known = least(end, list[i].address + list[i].length);
	return at(channel, list[i].twin, address - list[i].address);
}

void cape_captured_restore(struct cape_channel *channel, struct cape_range range)
{
	for (uint64_t from = range.start, known; from < range.end; from = known) {
		const unsigned char *base = cape_captured_base(channel, from, range.end, &known);
		unsigned char *memory = (unsigned char *)(uintptr_t)from;

		if (base && base != memory && memcmp(memory, base, known - from) != 0)
			memcpy(memory, base, known - from);
		else if (!base)
			memset(memory, 0, known - from);
	}
}
