/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * captured.c - what the monitor captured, compared with memory.
 */
#include "memory/captured.h"

#include "base/context.h"
#include "channel/capture.h"
#include "checkpoint/diff.h"
#include "system/ranges.h"

static const unsigned char *at(struct cape_channel *channel, uint64_t offset, uint64_t more)
{
	return offset ? (const unsigned char *)channel + offset + more : NULL;
}

int cape_captured_diff(struct cape_range range, struct cape_runs *runs)
{
	struct cape_channel *channel = cape_runtime->channel;
	const struct cape_captured *list = cape_channel_captured(channel);
	int error = 0;

	for (uint64_t i = cape_captured_find(list, channel->capture.count, range.start);
	     !error && i < channel->capture.count && list[i].address < range.end; i++) {
		uint64_t start = list[i].address > range.start ? list[i].address : range.start;
		uint64_t end = cape_least(list[i].address + list[i].length, range.end);
		uint64_t more = start - list[i].address;
		const void *now = at(channel, list[i].image, more);

		error = cape_diff(now ? now : (const void *)(uintptr_t)start,
				  at(channel, list[i].twin, more), end - start, start, runs);
	}
	return error;
}

static int diff(struct cape_areas *areas, struct cape_area *area, struct cape_range range,
		struct cape_runs *runs)
{
	(void)areas;
	(void)area;
	return cape_captured_diff(range, runs);
}

static const unsigned char *base_at(const struct cape_area *area, uint64_t address, uint64_t end,
				    uint64_t *known)
{
	struct cape_channel *channel = cape_runtime->channel;
	const struct cape_captured *list = cape_channel_captured(channel);
	uint64_t i = cape_captured_find(list, channel->capture.count, address);

	(void)area;
	if (i == channel->capture.count || list[i].address > address) {
		*known = i == channel->capture.count ? end : cape_least(end, list[i].address);
		return (const unsigned char *)(uintptr_t)address;
	}
	*known = cape_least(end, list[i].address + list[i].length);
	return at(channel, list[i].twin, address - list[i].address);
}

const struct cape_base cape_base_captured = {
	.private_only = true,
	.diff = diff,
	.at = base_at,
};
