// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * races.c - data races, found where checkpoints meet.
 *
 * At a sync point two checkpoints that hold one byte are a race.  Of two entries of the log, the
 * later one's node finds it: it made its own without having seen the other.  Equal values are
 * none: programs set a flag twice.
 */
#include "runtime/races.h"

#include <string.h>
#include "checkpoint/exact.h"
#include "runtime/message.h"
#include "runtime/runtime.h"
#include "runtime/shared.h"

void cape_races_report(struct cape_runtime *runtime, uint64_t address, uint64_t length, uint64_t at,
		       struct cape_race_side a, struct cape_race_side b)
{
	/* The variable, if it is known how large it is, else the word; or what of it there is. */
	const struct cape_local *local = cape_shared_local(runtime, address + at);
	uint64_t word = local && local->size == 8 ? 8 : CAPE_WORD;
	uint64_t start = (address + at) % word < at ? at - (address + at) % word : 0;
	uint64_t size = length - start < word ? length - start : word;
	const struct cape_channel_state *state = &runtime->channel->state;
	unsigned long long a_value = 0, b_value = 0;
	char name[128];

	memcpy(&a_value, a.data + start, size);
	memcpy(&b_value, b.data + start, size);
	cape_shared_name(runtime, address + at, name, sizeof(name));
	cape_fail(runtime, address + at,
		  "--races: at or before %s:%d nodes %u and %u changed %s to different values with "
		  "nothing that orders them: %#llx and %#llx",
		  state->file, state->line, a.node, b.node, name, a_value, b_value);
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

static void compare_runs(struct cape_runtime *runtime, const struct cape_exact_run *a,
			 unsigned a_node, const struct cape_exact_run *b, unsigned b_node)
{
	uint64_t start = a->address > b->address ? a->address : b->address;
	uint64_t end = run_end(a) < run_end(b) ? run_end(a) : run_end(b);
	const unsigned char *a_data = a->data + (start - a->address);
	const unsigned char *b_data = b->data + (start - b->address);

	for (uint64_t at = start; at < end; at++)
		if (a_data[at - start] != b_data[at - start] && counts(a, at) && counts(b, at))
			cape_races_report(runtime, start, end - start, at - start,
					  (struct cape_race_side){a_node, a_data},
					  (struct cape_race_side){b_node, b_data});
}

void cape_races_between(struct cape_runtime *runtime, const unsigned char *a_bytes, uint64_t a_size,
			unsigned a_node, const unsigned char *b_bytes, uint64_t b_size,
			unsigned b_node)
{
	struct cape_exact_cursor a_cursor, b_cursor;
	struct cape_exact_run a, b;
	bool more;

	if (!(runtime->channel->flags & CAPE_CHANNEL_RACES))
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
	struct cape_area *area = cape_areas_find(&runtime->areas, run->address, run->length);
	const unsigned char *memory = (const unsigned char *)(uintptr_t)run->address;
	const unsigned char *twin;

	if (!area || (area->kind == CAPE_AREA_HEAP &&
		      cape_heap_reach(&runtime->heap, run->address, run->length) < 0))
		return;
	twin = cape_area_twin(area, run->address, run->length);
	for (uint64_t i = 0; i < run->length; i++)
		if (memory[i] != twin[i] && memory[i] != run->data[i] &&
		    counts(run, run->address + i))
			cape_races_report(runtime, run->address, run->length, i,
					  (struct cape_race_side){runtime->node, memory},
					  (struct cape_race_side){node, run->data});
}

void cape_races_entry(struct cape_runtime *runtime, const unsigned char *bytes, uint64_t size,
		      unsigned node)
{
	const struct cape_log *log = &runtime->log;
	const unsigned char *own = log->own + log->own_start;
	struct cape_exact_cursor cursor;
	struct cape_exact_run run;

	if (!(runtime->channel->flags & CAPE_CHANNEL_RACES))
		return;
	cape_exact_open(&cursor, bytes, size);
	while (cape_exact_next(&cursor, &run) > 0)
		compare_memory(runtime, &run, node);
	for (uint64_t i = 0; i < log->own_count; i++) {
		uint64_t own_size;

		memcpy(&own_size, own, sizeof(own_size));
		own += sizeof(own_size);
		cape_races_between(runtime, own, own_size, runtime->node, bytes, size, node);
		own += cape_message_padded(own_size);
	}
}
