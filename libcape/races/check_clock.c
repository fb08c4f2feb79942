// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * check_clock.c - vector clocks: who has heard of which of the others' epochs.
 *
 * Of each lock (flush, loop, group of tasks) a table in shared memory has what every node had
 * heard of when it released it last.  Only that node writes there, so the table is merged like
 * any memory, and who acquires finds what the log has brought.  Objects that share an entry
 * order more than there is: that hides races, and makes none up.
 */
#include <errno.h>
#include "cape.h"
#include "system/libc.h"
#include "races/check_state.h"
#include "memory/area.h"

#define TABLE_SIZE    (1ull << 20)
#define LANES	      16u
#define OBJECTS_LEAST 16ull
#define OBJECTS_MOST  1024ull

static uint64_t object_of(const struct check_clocks *clocks, enum cape_order order, uint64_t number)
{
	uint64_t hash = (number * 8 + order + 1) * 0x9e3779b97f4a7c15ull;

	return (hash >> 32) % clocks->objects;
}

int cape_check_clocks_start(struct cape_runtime *runtime, struct check_clocks *clocks)
{
	uint64_t nodes = runtime->nodes, size, start;

	clocks->lanes = runtime->tasks ? LANES : 1; /* in the program only when it has tasks */
	clocks->width = (uint32_t)nodes * clocks->lanes;
	clocks->lane = runtime->node * clocks->lanes;
	clocks->objects = TABLE_SIZE / (nodes * clocks->width * sizeof(*clocks->row));
	if (clocks->objects > OBJECTS_MOST)
		clocks->objects = OBJECTS_MOST;
	if (clocks->objects < OBJECTS_LEAST)
		clocks->objects = OBJECTS_LEAST;
	size = clocks->objects * nodes * clocks->width * sizeof(*clocks->row);
	clocks->row = cape_private_reserve(&runtime->private, size);
	if (!clocks->row || cape_check_tasks_start(runtime, clocks) < 0)
		return -ENOMEM;
	clocks->own[clocks->lane] = 1;
	start = (uint64_t)(uintptr_t)clocks->row;
	return cape_areas_add(runtime->areas, CAPE_AREA_DECLARED, start, start + size, start + size,
			      "clocks");
}

void cape_check_release(struct cape_runtime *runtime, enum cape_order order, uint64_t number)
{
	struct cape_check *check = runtime->check;
	uint64_t object;
	uint32_t *row;

	/* Who waits by looking at a variable releases nothing, over and over again. */
	if (!check || !cape_is_concurrent(runtime) || (order == CAPE_ORDER_FLUSH && !check->wrote))
		return;
	cape_check_cut(runtime);
	object = object_of(&check->clocks, order, number);
	row = check->clocks.row + (object * runtime->nodes + runtime->node) * check->clocks.width;
	cape_check_hear(&check->clocks, row, check->clocks.own);
	check->clocks.own[check->clocks.lane]++;
	check->wrote = false;
}

void cape_check_acquire(struct cape_runtime *runtime, enum cape_order order, uint64_t number)
{
	struct cape_check *check = runtime->check;
	const uint32_t *row;
	bool cut = false;

	if (!check || !cape_is_concurrent(runtime))
		return;
	row = check->clocks.row +
	      object_of(&check->clocks, order, number) * runtime->nodes * check->clocks.width;
	for (unsigned from = 0; from < runtime->nodes; from++)
		for (unsigned lane = 0; lane < check->clocks.width; lane++, row++) {
			if (*row <= check->clocks.own[lane])
				continue;
			if (!cut)
				cape_check_cut(runtime);
			cut = true;
			check->clocks.own[lane] = *row;
		}
}
