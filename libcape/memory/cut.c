/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * cut.c - listing what of a checkpoint is shared memory.
 */
#include "memory/cut.h"

#include "base/method.h"
#include "memory/shared.h"
#include "base/context.h"

CAPE_PART(cut, NULL);

#define RANGES_LIMIT (1ull << 24)

static int add(void *context, struct cape_area *area, struct cape_range range)
{
	struct cape_runs *runs = context;
	uint64_t start = range.start, end = cape_runs_end(runs);

	(void)area;
	if (start < end)
		start = end;
	return start < range.end ? cape_runs_add(runs, start, range.end - start) : 0;
}

static void update(struct cape_runtime *runtime, struct cape_cut_list *list, bool all)
{
	if (!list->runs.memory) {
		cape_private_array_init(&list->memory, cape_must_reserve(runtime, RANGES_LIMIT),
					RANGES_LIMIT);
		cape_runs_init(&list->runs, &list->memory.memory);
	}
	cape_runs_clear(&list->runs);
	/* Other nodes' arenas may have grown. */
	if (cape_shared_each_possible(runtime, all, add, &list->runs) < 0)
		cape_fail(runtime, 0, "shared memory is in too many pieces");
}

void cape_cut_update(struct cape_runtime *runtime)
{
	runtime->cut->active = runtime->method->takes_own;
	if (!runtime->cut->active)
		return;
	update(runtime, &runtime->cut->shared, false);
	update(runtime, &runtime->cut->all, true);
}

const struct cape_runs *cape_cut_of(const struct cape_cut *cut, bool all)
{
	if (!cut->active)
		return NULL;
	return all ? &cut->all.runs : &cut->shared.runs;
}
