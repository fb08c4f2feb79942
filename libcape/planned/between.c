// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * between.c - what sequential code between two regions reads, where it does nothing else with
 * shared memory: that comes, and all other pages stay as they are.
 *
 * A node may read it in the memory of another one, which must not go on meanwhile: that waits until
 * all nodes have read.
 */
#include "channel/near.h"
#include "memory/directory.h"
#include "need/divided.h"
#include "need/parts.h"
#include "planned/planned.h"

/* The same on all nodes, which all run this code. */
static bool can_come(const struct cape_runtime *runtime)
{
	return runtime->need->known && !runtime->need->threads;
}

void cape_planned_touched_read(struct cape_runtime *runtime, const struct cape_range *range)
{
	const struct cape_area *area =
		cape_areas_find(runtime->areas, range->start, range->end - range->start);
	/* Of these all get what the master has when they meet. */
	bool of_thread = !area || area->kind == CAPE_AREA_MASTER;

	if (cape_directory_is_common(runtime, *range) && !(runtime->planned->left && of_thread))
		return;
	if (of_thread || !can_come(runtime)) {
		cape_planned_touched(runtime);
		return;
	}
	cape_divided_bring_to_all(runtime, range, 1);
	runtime->planned->read_between = true;
}

void cape_planned_await_all(struct cape_runtime *runtime)
{
	struct cape_channel *channel = runtime->channel;

	/* What is sent nobody reads here. */
	if (runtime->need->divided.sends)
		return;
	cape_near_brought(channel);
	for (unsigned node = 0; node < runtime->nodes; node++)
		if (node != runtime->node)
			cape_near_await_brought(channel, node, channel->fetch.version);
}

void cape_planned_await_between(struct cape_runtime *runtime)
{
	if (runtime->planned->read_between)
		cape_planned_await_all(runtime);
	runtime->planned->read_between = false;
}

void cape_planned_touched(struct cape_runtime *runtime)
{
	cape_planned_await_between(runtime);
	/* Pages stay divided until somebody comes to them. */
	cape_planned_meet(runtime, true);
	cape_need_touched(runtime);
}
