// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * last.c - what known loops have written last, and whether another one writes a part of that.
 */
#include "memory/directory.h"
#include "need/divided.h"
#include "need/need.h"
#include "planned/planned.h"

const struct cape_plan *cape_plan_written_last(const struct cape_runtime *runtime)
{
	const struct cape_planned *planned = runtime->planned;
	const struct cape_plan *last = planned->wrote.plan;

	return last && last->number == planned->wrote.number ? last : NULL;
}

/* Whether each stretch of SET is in one of RANGES. */
static bool is_inside(const struct cape_intervals *set, const struct cape_ranges *ranges)
{
	size_t in = 0;

	for (size_t i = 0; i < set->count; i++) {
		while (in < ranges->count && ranges->range[in].end < set->list[i].end)
			in++;
		if (in == ranges->count || ranges->range[in].start > set->list[i].start)
			return false;
	}
	return true;
}

/* Else pages may be left out now. */
static bool is_map_the_same(const struct cape_runtime *runtime, const struct cape_plan *last)
{
	return last->stays == runtime->directory->stays &&
	       runtime->planned->wrote.changes == runtime->directory->changes;
}

bool cape_plan_is_inside(const struct cape_runtime *runtime, const struct cape_plan *plan)
{
	const struct cape_intervals *writes = runtime->planned->scratch;
	const struct cape_plan *last = cape_plan_written_last(runtime);
	bool inside = last && last != plan && !last->leaves && is_map_the_same(runtime, last);

	for (unsigned node = 0; node < runtime->nodes && inside; node++)
		inside = is_inside(&writes[node], &last->write[node]);
	return inside;
}

void cape_plan_note_written(struct cape_runtime *runtime, const struct cape_plan *plan)
{
	struct cape_planned *planned = runtime->planned;

	planned->wrote.plan = plan;
	planned->wrote.number = plan->number;
	planned->wrote.changes = runtime->directory->changes;
	runtime->need->divided.copies.count = 0;
}
