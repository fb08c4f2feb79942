// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * within.c - loops that write what the last loop has written, or a part of that, as those of an
 * elimination do: each node what it has written itself.  The map of who wrote what stays as it is
 * then, if nothing has come to other nodes meanwhile that is written again.
 */
#include "memory/directory.h"
#include "need/divided.h"
#include "need/need.h"
#include "planned/planned.h"
#include "system/ranges.h"

/* By node, for what is found by find_rest(). */
static struct cape_ranges *rest_by_node(struct cape_runtime *runtime)
{
	struct cape_planned *planned = runtime->planned;

	if (!planned->rest)
		planned->rest = cape_plan_lists_by_node(runtime);
	return planned->rest;
}

/* What INNER has and OUTER has not becomes the REST. */
static void find_rest(struct cape_runtime *runtime, const struct cape_ranges *inner,
		      const struct cape_ranges *outer, struct cape_ranges *rest)
{
	rest->count = 0;
	for (size_t i = 0, j = 0; i < inner->count; i++) {
		struct cape_range range = inner->range[i];

		for (; j < outer->count && outer->range[j].start < range.end; j++) {
			if (range.start < outer->range[j].start)
				cape_ranges_add(
					runtime, rest,
					(struct cape_range){range.start, outer->range[j].start});
			range.start = cape_greatest(range.start, outer->range[j].end);
			if (outer->range[j].end > range.end)
				break;
		}
		if (range.start < range.end)
			cape_ranges_add(runtime, rest, range);
	}
}

void cape_plan_find_within(struct cape_runtime *runtime, struct cape_plan *plan)
{
	const struct cape_plan *last = cape_plan_written_last(runtime);
	struct cape_ranges *rest = rest_by_node(runtime);
	bool inside = last && last != plan && last->place == plan->place;

	for (unsigned node = 0; node < runtime->nodes && inside && !runtime->planned->inside;
	     node++) {
		find_rest(runtime, &plan->write[node], &last->write[node], &rest[node]);
		inside = !rest[node].count;
	}
	plan->within = inside ? last->number : 0;
}

bool cape_plan_writes_within(const struct cape_runtime *runtime, const struct cape_plan *plan)
{
	const struct cape_planned *planned = runtime->planned;
	const struct cape_divided_copies *copies = &runtime->need->divided.copies;
	bool within =
		planned->wrote.plan && copies->count <= CAPE_DIVIDED_COPIES &&
		(plan->within == planned->wrote.number || plan->number == planned->wrote.number) &&
		planned->wrote.changes == runtime->directory->changes;

	for (size_t i = 0; i < copies->count && within; i++)
		within = !cape_plan_writes(runtime, plan, copies->range[i]);
	return within;
}

const struct cape_ranges *cape_plan_reads_left(struct cape_runtime *runtime,
					       const struct cape_plan *plan)
{
	struct cape_ranges *rest = rest_by_node(runtime);

	if (!cape_plan_writes_within(runtime, plan))
		return plan->with->read;
	for (unsigned node = 0; node < runtime->nodes; node++)
		find_rest(runtime, &plan->with->read[node], &plan->write[node], &rest[node]);
	return rest;
}
