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

static bool is_inside(const struct cape_ranges *inner, const struct cape_ranges *outer)
{
	bool inside = true;

	for (size_t i = 0, j = 0; i < inner->count && inside; i++) {
		while (j < outer->count && outer->range[j].end <= inner->range[i].start)
			j++;
		inside = j < outer->count && outer->range[j].start <= inner->range[i].start &&
			 outer->range[j].end >= inner->range[i].end;
	}
	return inside;
}

void cape_plan_find_within(struct cape_runtime *runtime, struct cape_plan *plan)
{
	const struct cape_planned *planned = runtime->planned;
	const struct cape_plan *last = planned->wrote.plan;
	bool inside = last && last != plan && last->number == planned->wrote.number &&
		      last->place == plan->place;

	for (unsigned node = 0; node < runtime->nodes && inside; node++)
		inside = is_inside(&plan->write[node], &last->write[node]);
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

void cape_plan_note_written(struct cape_runtime *runtime, const struct cape_plan *plan)
{
	struct cape_planned *planned = runtime->planned;

	planned->wrote.plan = plan;
	planned->wrote.number = plan->number;
	planned->wrote.changes = runtime->directory->changes;
	runtime->need->divided.copies.count = 0;
}

/* What INNER has and OUTER has not becomes LEFT. */
static void find_left(struct cape_runtime *runtime, const struct cape_ranges *inner,
		      const struct cape_ranges *outer, struct cape_ranges *left)
{
	left->count = 0;
	for (size_t i = 0, j = 0; i < inner->count; i++) {
		struct cape_range range = inner->range[i];

		for (; j < outer->count && outer->range[j].start < range.end; j++) {
			if (range.start < outer->range[j].start)
				cape_ranges_add(
					runtime, left,
					(struct cape_range){range.start, outer->range[j].start});
			range.start = cape_greatest(range.start, outer->range[j].end);
			if (outer->range[j].end > range.end)
				break;
		}
		if (range.start < range.end)
			cape_ranges_add(runtime, left, range);
	}
}

const struct cape_ranges *cape_plan_reads_left(struct cape_runtime *runtime,
					       const struct cape_plan *plan)
{
	struct cape_planned *planned = runtime->planned;

	if (!cape_plan_writes_within(runtime, plan))
		return plan->with->read;
	if (!planned->reads_left)
		planned->reads_left = cape_plan_lists_by_node(runtime);
	for (unsigned node = 0; node < runtime->nodes; node++)
		find_left(runtime, &plan->with->read[node], &plan->write[node],
			  &planned->reads_left[node]);
	return planned->reads_left;
}
