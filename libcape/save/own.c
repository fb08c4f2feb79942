// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * own.c - what is each node's own inside a region: the stack apart, the frame of the region's
 * function but for registered variables, threadprivate variables, and what the C library and others
 * keep.
 *
 * Of that, sequential code goes on with what it was when the region was entered, and the master's
 * changes: so those values, which all nodes have, are saved, too.
 */
#include "save/own.h"

#include <stdio.h>
#include <string.h>
#include "base/saved.h"
#include "channel/save.h"
#include "memory/apart.h"
#include "memory/area.h"
#include "memory/frame.h"
#include "replica/output.h"
#include "save/save.h"

#define OWN_LIMIT (CAPE_LOCALS_LIMIT + CAPE_AREAS_LIMIT + CAPE_SAVE_UNSHARED + 3)

/* -- which it is ---------------------------------------------------------------------------- */

/* Keeps the list in order and its ranges apart. */
static void add(struct cape_own *own, uint64_t start, uint64_t end)
{
	struct cape_range range = {start, end};
	size_t at = own->count, next;

	if (start >= end)
		return;
	while (at && own->range[at - 1].end >= start)
		at--;
	for (next = at; next < own->count && own->range[next].start <= end; next++) {
		if (own->range[next].start < range.start)
			range.start = own->range[next].start;
		if (own->range[next].end > range.end)
			range.end = own->range[next].end;
	}
	memmove(&own->range[at + 1], &own->range[next], (own->count - next) * sizeof(range));
	own->count += 1 - (next - at);
	own->range[at] = range;
}

static void add_stack(const struct cape_runtime *runtime, struct cape_own *own, uint64_t low)
{
	const struct cape_stack *stack = runtime->stack;

	for (uint64_t at = (uint64_t)(uintptr_t)stack->registers, end; at < stack->frame; at = end)
		add(own, at, cape_frame_next_local(runtime, at, &end));
	add(own, low < stack->apart ? stack->apart : low, CAPE_APART_END);
}

const struct cape_own *cape_own_list(struct cape_runtime *runtime, uint64_t low)
{
	struct cape_save *save = runtime->save;
	struct cape_own *own = &save->own;

	if (!own->range)
		own->range = cape_must_reserve(runtime, OWN_LIMIT * sizeof(*own->range));
	own->count = 0;
	for (size_t i = 0; i < runtime->areas->count; i++)
		if (runtime->areas->area[i].kind == CAPE_AREA_MASTER)
			add(own, runtime->areas->area[i].start, runtime->areas->area[i].end);
	for (size_t i = 0; i < save->count; i++)
		add(own, save->unshared[i].start, save->unshared[i].end);
	add(own, (uint64_t)(uintptr_t)runtime->output->buffer[0],
	    (uint64_t)(uintptr_t)runtime->output->buffer[0] + BUFSIZ);
	add_stack(runtime, own, low);
	return own;
}

struct cape_range cape_own_next(const struct cape_own *own, struct cape_range range, bool inside)
{
	for (size_t i = 0; i < own->count && range.start < range.end; i++) {
		const struct cape_range *next = &own->range[i];

		if (next->end <= range.start)
			continue;
		if (inside && next->start > range.start)
			range.start = next->start < range.end ? next->start : range.end;
		if (inside) {
			if (next->end < range.end)
				range.end = next->end;
			return range;
		}
		if (next->start > range.start) {
			if (next->start < range.end)
				range.end = next->start;
			return range;
		}
		range.start = next->end < range.end ? next->end : range.end;
	}
	if (inside)
		range.start = range.end;
	return range;
}

/* -- what it was at the region's begin ------------------------------------------------------ */

/* Of one stretch; its bytes follow. */
struct before {
	uint64_t address, size;
};

/* Writes to TO, unless it is NULL; the bytes that it needs.  FROM NULL: they are all zeros. */
static uint64_t put_one(unsigned char *to, uint64_t address, const void *from, uint64_t size)
{
	struct before before = {address, size};

	if (to) {
		memcpy(to, &before, sizeof(before));
		if (from)
			memcpy(to + sizeof(before), from, size);
		else
			memset(to + sizeof(before), 0, size);
	}
	return sizeof(before) + cape_saved_padded(size);
}

static uint64_t put_area(const struct cape_area *area, unsigned char *to)
{
	uint64_t used = 0, known;

	for (uint64_t at = area->start; at < area->end; at = known) {
		const unsigned char *base = cape_area_base_at(area, at, area->end, &known);

		used += put_one(to ? to + used : NULL, at, base, known - at);
	}
	return used;
}

/* Alone, a node has nothing to compare with, and keeps nothing. */
static uint64_t put(struct cape_runtime *runtime, unsigned char *to)
{
	uint64_t used = 0;

	if (!runtime->in_region || runtime->nodes == 1)
		return 0;
	for (size_t i = 0; i < runtime->areas->count; i++)
		if (runtime->areas->area[i].kind == CAPE_AREA_MASTER)
			used += put_area(&runtime->areas->area[i], to ? to + used : NULL);
	return used;
}

/* What it is taken from stays. */
static void take(struct cape_runtime *runtime, const unsigned char *from, uint64_t size)
{
	runtime->save->before = from;
	runtime->save->before_size = size;
}

CAPE_SAVED(own, .put = put, .take = take);

void cape_own_put_back(struct cape_runtime *runtime)
{
	const unsigned char *from = runtime->save->before;
	uint64_t left = runtime->save->before_size;
	struct before before;

	while (left >= sizeof(before)) {
		memcpy(&before, from, sizeof(before));
		left -= sizeof(before);
		if (cape_saved_padded(before.size) > left)
			break;
		memcpy((void *)(uintptr_t)before.address, from + sizeof(before), before.size);
		from += sizeof(before) + cape_saved_padded(before.size);
		left -= cape_saved_padded(before.size);
	}
}
