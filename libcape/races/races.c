// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * races.c - data races, found where checkpoints meet.
 *
 * At a sync point two checkpoints that changed one byte are a race, whatever they made of it: nodes
 * with equal shares often write equal values, which sum up to nothing.  Of two entries of the
 * log, the later one's node finds it: it made its own without having seen the other.
 */
#include "races/races.h"

#include <stdlib.h>
#include <string.h>
#include "checkpoint/exact.h"
#include "races/conflict.h"
#include "message/message.h"
#include "base/context.h"
#include "memory/shared.h"

/* What a side has in the window around ADDRESS: what it did not change is the base. */
static void set_side(struct cape_runtime *runtime, const struct cape_conflict *conflict,
		     struct cape_race_side from, struct cape_conflict_side *to)
{
	uint64_t base = conflict->address & -(uint64_t)CAPE_CONFLICT_WINDOW;
	struct cape_area *area = cape_areas_find(runtime->areas, conflict->address, 1);

	to->node = from.node;
	to->access = CAPE_CONFLICT_WRITE;
	for (uint32_t i = conflict->window; i < conflict->window_end; i++)
		if (base + i - from.address < from.length)
			to->value[i] = from.data[base + i - from.address];
		else
			to->value[i] = cape_area_base(area, base + i);
}

static void describe(struct cape_runtime *runtime, uint64_t address, struct cape_race_side a,
		     struct cape_race_side b)
{
	struct cape_conflict *conflict = &runtime->channel->conflict;

	cape_conflict_describe(runtime, address, conflict);
	set_side(runtime, conflict, a, &conflict->side[0]);
	set_side(runtime, conflict, b, &conflict->side[1]);
}

void cape_races_report(struct cape_runtime *runtime, uint64_t address, struct cape_race_side a,
		       struct cape_race_side b)
{
	describe(runtime, address, a, b);
	cape_channel_request(runtime->channel, CAPE_REQUEST_CONFLICT);
	abort();
}

bool cape_races_are_looked_for(const struct cape_runtime *runtime)
{
	return runtime->channel->flags & CAPE_CHANNEL_RACES || runtime->check;
}

/*
 * Both have changed the byte at ADDRESS.  --check-races says more at the next sync point, which a
 * race may keep the program from: the first one since the last is left for the monitor.
 */
static void found(struct cape_runtime *runtime, uint64_t address, struct cape_race_side a,
		  struct cape_race_side b)
{
	if (runtime->channel->flags & CAPE_CHANNEL_RACES)
		cape_races_report(runtime, address, a, b);
	if (runtime->channel->unreported)
		return;
	describe(runtime, address, a, b);
	__atomic_store_n(&runtime->channel->unreported, true, __ATOMIC_RELEASE);
}

static bool counts(const struct cape_exact_run *run, uint64_t address)
{
	uint64_t at = address - run->address;

	return !run->mask || run->mask[at / 8] >> at % 8 & 1;
}

static uint64_t run_end(const struct cape_exact_run *run)
{
	return run->address + run->length;
}

static struct cape_race_side side_of(const struct cape_exact_run *run, unsigned node)
{
	return (struct cape_race_side){node, run->address, run->length, run->data};
}

static void compare_runs(struct cape_runtime *runtime, const struct cape_exact_run *a,
			 unsigned a_node, const struct cape_exact_run *b, unsigned b_node)
{
	uint64_t start = a->address > b->address ? a->address : b->address;
	uint64_t end = run_end(a) < run_end(b) ? run_end(a) : run_end(b);

	for (uint64_t at = start; at < end; at++)
		if (counts(a, at) && counts(b, at))
			found(runtime, at, side_of(a, a_node), side_of(b, b_node));
}

void cape_races_between(struct cape_runtime *runtime, const unsigned char *a_bytes, uint64_t a_size,
			unsigned a_node, const unsigned char *b_bytes, uint64_t b_size,
			unsigned b_node)
{
	struct cape_exact_cursor a_cursor, b_cursor;
	struct cape_exact_run a, b;
	bool more;

	if (!cape_races_are_looked_for(runtime))
		return;
	cape_exact_open(&a_cursor, a_bytes, a_size);
	cape_exact_open(&b_cursor, b_bytes, b_size);
	more = cape_exact_next(&a_cursor, &a) > 0 && cape_exact_next(&b_cursor, &b) > 0;
	while (more) {
		compare_runs(runtime, &a, a_node, &b, b_node);
		if (run_end(&a) < run_end(&b))
			more = cape_exact_next(&a_cursor, &a) > 0;
		else
			more = cape_exact_next(&b_cursor, &b) > 0;
	}
}

/* Of this node's own memory, what was changed and not published counts. */
static void compare_memory(struct cape_runtime *runtime, const struct cape_exact_run *run,
			   unsigned node)
{
	struct cape_area *area = cape_areas_find(runtime->areas, run->address, run->length);
	const unsigned char *memory = (const unsigned char *)(uintptr_t)run->address;
	const unsigned char *twin;

	if (!area || cape_shared_reach(runtime, area, run->address, run->length) < 0)
		return;
	twin = cape_area_twin(area, run->address, run->length);
	for (uint64_t i = 0; i < run->length; i++)
		if (memory[i] != twin[i] && counts(run, run->address + i))
			found(runtime, run->address + i,
			      (struct cape_race_side){runtime->node, run->address, run->length,
						      memory},
			      side_of(run, node));
}

void cape_races_with_own(struct cape_runtime *runtime, const unsigned char *bytes, uint64_t size,
			 unsigned node)
{
	struct cape_exact_cursor cursor;
	struct cape_exact_run run;

	if (!cape_races_are_looked_for(runtime))
		return;
	cape_exact_open(&cursor, bytes, size);
	while (cape_exact_next(&cursor, &run) > 0)
		compare_memory(runtime, &run, node);
}
