/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * shared.c - going through all shared memory: static storage, the heap, and of the stack the
 * variables that the region's function registered and the frames of its callers.
 */
#include "memory/shared.h"

#include <stdio.h>
#include "base/context.h"
#include "base/own_objects.h"
#include "memory/area.h"
#include "memory/directory.h"
#include "memory/written.h"
#include "heap/heap.h"
#include "memory/frame.h"
#include "memory/mapping.h"
#include "system/ranges.h"

CAPE_PART(areas, NULL);

struct walk {
	struct cape_runtime *runtime;
	bool all;
	bool whole_heap;
	enum cape_directory_kind
		without; /* pages that are not visited, if nodes exchange by need */
	const struct cape_written *written; /* of the heap these parts alone, if they are known */
	cape_shared_visit visit;
	void *context;
};

static int visit_of_loop(const struct walk *walk, struct cape_area *area, struct cape_range range)
{
	const struct cape_written *written = walk->written;
	size_t i = cape_ranges_find(written->loop_range, written->loop_count,
				    sizeof(*written->loop_range), range.start);
	int result = 0;

	for (; !result && i < written->loop_count; i++) {
		struct cape_range part = written->loop_range[i];

		if (part.start >= range.end)
			break;
		if (part.start < range.start)
			part.start = range.start;
		if (part.end > range.end)
			part.end = range.end;
		result = walk->visit(walk->context, area, part);
	}
	return result;
}

/* Without pages that are left out. */
static int visit_pages(const struct walk *walk, struct cape_area *area, struct cape_range range)
{
	if (walk->written && walk->written->loop_known && area->directory)
		return visit_of_loop(walk, area, range);
	if (__builtin_expect(!walk->runtime->directory->count, 1))
		return walk->visit(walk->context, area, range);
	return cape_directory_without(area, range, walk->without, walk->visit, walk->context);
}

/* Without what is each node's own. */
static int visit_range(const struct walk *walk, struct cape_area *area, uint64_t start,
		       uint64_t end)
{
	int result;

	if (__builtin_expect(cape_own_objects_known(walk->runtime), 0)) {
		struct cape_range own = cape_own_objects_next(walk->runtime, start);

		for (; own.start < end; own = cape_own_objects_next(walk->runtime, start)) {
			if (start < own.start) {
				result = visit_pages(walk, area,
						     (struct cape_range){start, own.start});
				if (result)
					return result;
			}
			start = own.end;
		}
	}
	if (start >= end)
		return 0;
	return visit_pages(walk, area, (struct cape_range){start, end});
}

/* Of one arena's range. */
static int visit_arena(const struct walk *walk, struct cape_area *area, uint64_t start,
		       uint64_t end)
{
	int result = 0;

	if (!walk->written || !walk->written->known)
		return visit_range(walk, area, start, end);
	for (size_t i = 0; i < walk->written->count && !result; i++) {
		const struct cape_range *part = &walk->written->range[i];

		result = visit_range(walk, area, part->start > start ? part->start : start,
				     part->end < end ? part->end : end);
	}
	return result;
}

static int visit_heap(const struct walk *walk, struct cape_area *area)
{
	struct cape_heap_range range[1 + CAPE_HEAP_MAX_NODES];
	size_t count = cape_heap_ranges(walk->runtime->heap, range, 1 + CAPE_HEAP_MAX_NODES);

	if (walk->whole_heap)
		return visit_range(walk, area, area->start, area->end);
	for (size_t i = 0; i < count; i++) {
		uint64_t end = range[i].address + range[i].length;
		int result = visit_arena(walk, area, range[i].address, cape_page_ceiling(end));

		if (result)
			return result;
	}
	return 0;
}

/* Registered variables are few, come in any order, and may have been registered twice. */
static int visit_stack(const struct walk *walk, struct cape_area *area)
{
	const struct cape_runtime *runtime = walk->runtime;
	uint64_t at = area->start;

	if (!runtime->stack->frame)
		return 0;
	for (;;) {
		uint64_t start = runtime->stack->frame, end = runtime->stack->stack_end;
		int result;

		for (size_t i = 0; i < runtime->stack->local_count; i++) {
			const struct cape_local *local = &runtime->stack->local[i];

			if (local->address + local->size > at && local->address < start) {
				start = local->address < at ? at : local->address;
				end = local->address + local->size;
			}
		}
		if (end > runtime->stack->frame)
			end = runtime->stack->stack_end;
		result = visit_range(walk, area, start, end);
		if (result || end == runtime->stack->stack_end)
			return result;
		at = end;
	}
}

static int visit_mapped(const struct walk *walk, struct cape_area *area)
{
	const struct cape_mappings *mappings = walk->runtime->mappings;
	int result = 0;

	if (walk->whole_heap && mappings->count)
		return visit_range(walk, area, area->start, area->end);
	cape_mapping_open(walk->runtime);
	for (size_t i = 0; i < mappings->count && !result; i++)
		if (mappings->list[i].used)
			result = visit_range(walk, area, mappings->list[i].start,
					     mappings->list[i].end);
	return result;
}

static int visit_all(const struct walk *walk)
{
	struct cape_runtime *runtime = walk->runtime;
	int result = 0;

	for (size_t i = 0; i < runtime->areas->count && !result; i++) {
		struct cape_area *area = &runtime->areas->area[i];

		switch (area->kind) {
		case CAPE_AREA_STATIC:
		case CAPE_AREA_DECLARED:
			result = visit_range(walk, area, area->start, area->end);
			break;
		case CAPE_AREA_HEAP:
			result = visit_heap(walk, area);
			break;
		case CAPE_AREA_MAPPED:
			result = visit_mapped(walk, area);
			break;
		case CAPE_AREA_STACK:
			result = visit_stack(walk, area);
			break;
		case CAPE_AREA_MASTER:
			if (walk->all)
				result = visit_range(walk, area, area->start, area->end);
			break;
		}
	}
	return result;
}

int cape_shared_each(struct cape_runtime *runtime, bool all, cape_shared_visit visit, void *context)
{
	struct walk walk = {runtime, all, .visit = visit, .context = context};

	return visit_all(&walk);
}

int cape_shared_each_written(struct cape_runtime *runtime, bool all, cape_shared_visit visit,
			     void *context)
{
	struct walk walk = {runtime,
			    all,
			    .written = runtime->written,
			    .without = CAPE_PAGES_UNWATCHED,
			    .visit = visit,
			    .context = context};

	return visit_all(&walk);
}

int cape_shared_each_possible(struct cape_runtime *runtime, bool all, cape_shared_visit visit,
			      void *context)
{
	struct walk walk = {runtime, all, .whole_heap = true, .visit = visit, .context = context};

	return visit_all(&walk);
}

const struct cape_local *cape_shared_local(const struct cape_runtime *runtime, uint64_t address)
{
	for (size_t i = 0; i < runtime->stack->local_count; i++) {
		const struct cape_local *local = &runtime->stack->local[i];

		if (address >= local->address && address < local->address + local->size)
			return local;
	}
	return NULL;
}

int cape_shared_reach(struct cape_runtime *runtime, const struct cape_area *area, uint64_t address,
		      uint64_t length)
{
	switch (area->kind) {
	case CAPE_AREA_HEAP:
		return cape_heap_reach(runtime->heap, address, length);
	case CAPE_AREA_MAPPED:
		return cape_mapping_reach(runtime, address, length);
	default:
		return 0;
	}
}

/* Variables of a function may lie beside each other. */
static bool stack_holds(const struct cape_runtime *runtime, uint64_t address, uint64_t end)
{
	const struct cape_local *local;

	while (address < end && (local = cape_shared_local(runtime, address)))
		address = local->address + local->size;
	return address >= end || (runtime->stack->frame && address >= runtime->stack->frame);
}

bool cape_shared_holds(struct cape_runtime *runtime, uint64_t address, uint64_t size)
{
	const struct cape_area *area = cape_areas_find(runtime->areas, address, size);

	switch (area ? area->kind : CAPE_AREA_MASTER) {
	case CAPE_AREA_STACK:
		return stack_holds(runtime, address, address + size);
	case CAPE_AREA_MASTER:
		return false;
	default:
		return true;
	}
}

void cape_shared_name(const struct cape_runtime *runtime, uint64_t address, char *name, size_t size)
{
	const struct cape_local *local = cape_shared_local(runtime, address);

	if (local)
		snprintf(name, size, "variable '%.60s' + %llu", local->name,
			 (unsigned long long)(address - local->address));
	else if (runtime->stack->frame && address >= runtime->stack->frame &&
		 address < runtime->stack->stack_end)
		snprintf(name, size, "the stack of the region's callers, at %#llx",
			 (unsigned long long)address);
	else
		snprintf(name, size, "@");
}
