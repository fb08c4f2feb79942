// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * beside.c - rows that were allocated one after another are one stretch of memory.
 *
 * What lies between two of them the allocator uses, or nobody.  If a node alone writes all around
 * it in a loop, it is as if that node wrote this, too, with what is there already: it has to have
 * it before.  Else a block of rows would be as many stretches, and no page one node's alone.
 */
#include "memory/area.h"
#include "planned/planned.h"
#include "system/ranges.h"

#define NEAR 64u       /* bytes from one row to the next */
#define FAR  CAPE_PAGE /* the same of the pieces of rows where there are */
#define MANY 512u      /* of them, as of a loop that writes to the ends of rows alone */

void cape_plan_join_read(struct cape_intervals *set)
{
	size_t joined = 0;

	for (size_t i = 1; i < set->count; i++) {
		if (set->list[i].start - set->list[joined].end > NEAR)
			set->list[++joined] = set->list[i];
		else
			set->list[joined].end = set->list[i].end;
	}
	set->count = set->count ? joined + 1 : 0;
}

static bool has_any(const struct cape_intervals *set, struct cape_range range)
{
	size_t index = cape_ranges_find(set->list, set->count, sizeof(*set->list), range.start);

	return index < set->count && set->list[index].start < range.end;
}

/* Whether another node writes something of GAP, or a pointer is there. */
static bool is_used(const struct cape_runtime *runtime, const struct cape_intervals *writes,
		    unsigned node, struct cape_range gap)
{
	bool used = false;

	for (unsigned other = 0; other <= runtime->nodes && !used; other++)
		used = other != node && has_any(&writes[other], gap);
	return used;
}

/* Those that are at most so many bytes apart. */
static void join(struct cape_runtime *runtime, struct cape_intervals *writes, unsigned node,
		 uint64_t most, struct cape_ranges *gaps)
{
	struct cape_intervals *set = &writes[node];
	size_t joined = 0;

	for (size_t i = 1; i < set->count; i++) {
		struct cape_range gap = {set->list[joined].end, set->list[i].start};

		if (gap.end - gap.start > most || is_used(runtime, writes, node, gap)) {
			set->list[++joined] = set->list[i];
			continue;
		}
		set->list[joined].end = set->list[i].end;
		cape_must_grow(runtime, (void **)&gaps->range, &gaps->room, gaps->count + 1,
			       sizeof(gap));
		gaps->range[gaps->count++] = gap;
	}
	set->count = set->count ? joined + 1 : 0;
}

void cape_plan_join_written(struct cape_runtime *runtime, struct cape_intervals *writes,
			    unsigned node, struct cape_ranges *gaps)
{
	gaps->count = 0;
	join(runtime, writes, node, NEAR, gaps);
	if (writes[node].count > MANY)
		join(runtime, writes, node, FAR, gaps);
}
