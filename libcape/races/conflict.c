// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * conflict.c - what the run time knows of an address: of the heap the block, where it was
 * allocated, and a pointer that leads to it.
 */
#include "races/conflict.h"

#include <stdio.h>
#include <string.h>
#include "memory/shared.h"
#include "heap/heap.h"
#include "heap/sites.h"
#include "memory/frame.h"

/* The static variable or the block (as AREA says) whose word at *PLACE holds VALUE. */
static bool look_in(const struct cape_area *area, struct cape_range range, uint64_t value,
		    uint64_t *place)
{
	(void)area;
	for (uint64_t at = (range.start + 7) & ~7ull; at + 8 <= range.end; at += 8)
		if (*(const uint64_t *)(uintptr_t)at == value) {
			*place = at;
			return true;
		}
	return false;
}

struct search {
	enum cape_area_kind kind;
	uint64_t value;
	uint64_t place;
};

static int search_range(void *context, struct cape_area *area, struct cape_range range)
{
	struct search *search = context;

	return area->kind == search->kind && look_in(area, range, search->value, &search->place);
}

/* Where memory of KIND points to VALUE, or 0. */
static uint64_t pointer_to(struct cape_runtime *runtime, enum cape_area_kind kind, uint64_t value)
{
	struct search search = {.kind = kind, .value = value};

	cape_shared_each(runtime, false, search_range, &search);
	return search.place;
}

/* A pointer that the program has a name for leads to START. */
static bool find_name(struct cape_runtime *runtime, uint64_t start, struct cape_conflict *conflict)
{
	for (size_t i = 0; i < runtime->stack->local_count; i++) {
		const struct cape_local *local = &runtime->stack->local[i];
		uint64_t value;

		if (local->size != sizeof(value))
			continue;
		memcpy(&value, (const void *)(uintptr_t)local->address, sizeof(value));
		if (value == start) {
			snprintf(conflict->name, sizeof(conflict->name), "%s", local->name);
			return true;
		}
	}
	for (size_t i = 0; i < runtime->stack->reaching_count; i++)
		if (runtime->stack->reaching[i].address == start) {
			snprintf(conflict->name, sizeof(conflict->name), "%s",
				 runtime->stack->reaching[i].name);
			return true;
		}
	conflict->pointer = pointer_to(runtime, CAPE_AREA_STATIC, start);
	return conflict->pointer != 0;
}

static void describe_block(struct cape_runtime *runtime, uint64_t address,
			   struct cape_conflict *conflict)
{
	const struct cape_site *site = cape_sites_find(runtime, address), *outer;
	uint64_t place;

	conflict->memory = CAPE_CONFLICT_HEAP;
	if (!site)
		return;
	conflict->start = site->address;
	conflict->size = site->size;
	conflict->site = site->code;
	if (find_name(runtime, site->address, conflict))
		return;
	/* Rows of a matrix: one block of pointers to the others. */
	place = pointer_to(runtime, CAPE_AREA_HEAP, site->address);
	outer = place ? cape_sites_find(runtime, place) : NULL;
	if (outer && find_name(runtime, outer->address, conflict)) {
		conflict->indirect = 1;
		conflict->index = place - outer->address;
	}
}

void cape_conflict_window(struct cape_runtime *runtime, uint64_t address,
			  struct cape_conflict *conflict)
{
	uint64_t base = address & -(uint64_t)CAPE_CONFLICT_WINDOW;
	uint32_t at = (uint32_t)(address - base);

	*conflict = (struct cape_conflict){.address = address};
	conflict->window = at;
	conflict->window_end = at + 1;
	while (conflict->window > 0 && cape_shared_holds(runtime, base + conflict->window - 1, 1))
		conflict->window--;
	while (conflict->window_end < CAPE_CONFLICT_WINDOW &&
	       cape_shared_holds(runtime, base + conflict->window_end, 1))
		conflict->window_end++;
}

void cape_conflict_describe(struct cape_runtime *runtime, uint64_t address,
			    struct cape_conflict *conflict)
{
	const struct cape_local *local = cape_shared_local(runtime, address);

	cape_conflict_window(runtime, address, conflict);
	if (local) {
		conflict->memory = CAPE_CONFLICT_AUTOMATIC;
		conflict->start = local->address;
		conflict->size = local->size;
		snprintf(conflict->name, sizeof(conflict->name), "%s", local->name);
	} else if (cape_heap_owns(runtime->heap, (const void *)(uintptr_t)address)) {
		describe_block(runtime, address, conflict);
	} else if (runtime->stack->frame && address >= runtime->stack->frame &&
		   address < runtime->stack->stack_end) {
		conflict->memory = CAPE_CONFLICT_STACK;
	}
}

void cape_conflict_value(const struct cape_conflict *conflict, unsigned char *value)
{
	uint64_t base = conflict->address & -(uint64_t)CAPE_CONFLICT_WINDOW;

	memcpy(value + conflict->window, (const void *)(uintptr_t)(base + conflict->window),
	       conflict->window_end - conflict->window);
}
