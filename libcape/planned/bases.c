// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * bases.c - the bases of common pages in a region that begins with known loops: as long as nothing
 * else runs nobody writes to such pages but what was said before, so memory is their base, and no
 * twin is made of what sequential code has left there.
 */
#include "heap/heap.h"
#include "memory/directory.h"
#include "memory/shared.h"
#include "memory/twin.h"
#include "need/need.h"
#include "planned/planned.h"
#include "system/ranges.h"

/* What the run time itself, or what is looked at after each loop, may change is folded. */
static int postpone(void *context, struct cape_area *area, struct cape_range range)
{
	struct cape_runtime *runtime = context;

	/* What the C library keeps is the master's only when nodes have met. */
	if (area->kind == CAPE_AREA_MASTER && runtime->planned->skipped)
		return 0;
	if (!area->directory || !area->state) {
		cape_twin_fold(runtime->areas, area, range);
		return 0;
	}
	while (range.start < range.end) {
		struct cape_range next = cape_directory_next(area, range, CAPE_PAGES_UNSETTLED);

		next.start = cape_least(cape_greatest(next.start, range.start), range.end);
		next.end = cape_least(next.end, range.end);
		cape_twin_postpone(runtime->areas, area,
				   (struct cape_range){range.start, next.start});
		cape_twin_fold(runtime->areas, area, next);
		range.start = next.end;
	}
	return 0;
}

/* The words by which arenas are managed. */
static void fold_heads(struct cape_runtime *runtime)
{
	struct cape_heap_range range[1 + CAPE_HEAP_MAX_NODES];
	size_t count = cape_heap_ranges(runtime->heap, range, 1 + CAPE_HEAP_MAX_NODES);

	for (size_t i = 0; i < count; i++)
		if (range[i].length)
			cape_plan_make_base(runtime, (struct cape_range){range[i].address,
									 range[i].address + 1});
}

bool cape_planned_fold(struct cape_runtime *runtime)
{
	struct cape_planned *planned = runtime->planned;

	planned->bases_due = runtime->need->known &&
			     !(runtime->channel->flags & (CAPE_CHANNEL_SAVE | CAPE_CHANNEL_KEEP));
	if (!planned->bases_due)
		return false;
	cape_shared_each_written(runtime, true, postpone, runtime);
	fold_heads(runtime);
	return true;
}

void cape_plan_make_base(struct cape_runtime *runtime, struct cape_range range)
{
	struct cape_area *area =
		cape_areas_find(runtime->areas, range.start, range.end - range.start);

	if (runtime->planned->bases_due && area && area->directory)
		cape_area_twin(area, range.start, range.end - range.start);
}

static int make_base(void *context, struct cape_area *area, struct cape_range range)
{
	(void)area;
	cape_plan_make_base(context, range);
	return 0;
}

static void make_bases_of(struct cape_runtime *runtime, const struct cape_intervals *writes)
{
	for (size_t i = 0; i < writes->count; i++) {
		struct cape_range rest = {writes->list[i].start, writes->list[i].end}, part;
		struct cape_area *area;

		for (; rest.start < rest.end; rest.start = part.end) {
			part = cape_areas_part(runtime->areas, rest, &area);
			if (area && area->directory)
				cape_directory_without(area, part, CAPE_PAGES_UNWATCHED, make_base,
						       runtime);
		}
	}
}

/* What several write stays common, and is looked at after later loops, too, on every node. */
void cape_plan_make_bases_of(struct cape_runtime *runtime, const struct cape_intervals *writes)
{
	for (unsigned node = 0; node < runtime->nodes; node++)
		make_bases_of(runtime, &writes[node]);
}

static int catch_up(void *context, struct cape_area *area, struct cape_range range)
{
	(void)context;
	if (area->directory && area->state)
		cape_twin_catch_up(area, range);
	return 0;
}

void cape_plan_make_bases(struct cape_runtime *runtime)
{
	struct cape_planned *planned = runtime->planned;

	if (!planned->bases_due)
		return;
	planned->bases_due = false;
	/* The region is over, and nodes meet late: the next one begins with bases of its own. */
	if (planned->left)
		return;
	cape_shared_each_written(runtime, true, catch_up, runtime);
}
