// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * objects.c - what memory is that moves: the variable, or the block of the heap by a pointer that
 * leads to it; and how much of it moves in which construct.
 */
#include <stdio.h>
#include <string.h>
#include "heap/heap.h"
#include "heap/sites.h"
#include "memory/directory.h"
#include "memory/frame.h"
#include "memory/shared.h"
#include "profile/profile.h"
#include "system/ranges.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#define SLOTS	      (2 * CAPE_PROFILE_OBJECTS)
#define POINTERS_MOST 512u /* bytes of a variable that is looked through for pointers */

/* -- names ---------------------------------------------------------------------------------- */

static struct cape_range range_of(const struct cape_profile_object *object)
{
	return (struct cape_range){object->start, object->start + object->size};
}

/* Which of the COUNT variables is the first that ends after ADDRESS, the file's. */
static uint32_t variable_from(const struct cape_profile *profile, uint64_t address)
{
	return (uint32_t)cape_pieces_find(profile->variable, profile->variables,
					  sizeof(*profile->variable), address);
}

/* Each of these says what ADDRESS is, and how far that goes. */

static struct cape_range other(struct cape_profile_object *object, const char *name,
			       struct cape_range range)
{
	object->memory = CAPE_MEMORY_OTHER;
	snprintf(object->name, sizeof(object->name), "%s", name);
	return range;
}

static struct cape_range find_static(struct cape_runtime *runtime, const struct cape_area *area,
				     uint64_t address, struct cape_profile_object *object)
{
	static const char nameless[] = "static memory without a name";
	const struct cape_profile *profile = runtime->profiling->profile;
	uint64_t bias = runtime->channel->load_bias;
	uint32_t which = variable_from(profile, address - bias);
	const struct cape_profile_variable *variable = &profile->variable[which];

	if (which == profile->variables)
		return other(object, nameless, (struct cape_range){address, area->end});
	if (address - bias < variable->start)
		return other(object, nameless,
			     (struct cape_range){address,
						 cape_least(variable->start + bias, area->end)});
	object->memory = CAPE_MEMORY_STATIC;
	object->start = variable->start + bias;
	object->size = variable->size;
	return range_of(object);
}

static bool is_in(const struct cape_site *site, uint64_t address)
{
	return site && address - site->address < site->size;
}

/* The block that ADDRESS is in; most of the time one that the region names, or one of the last. */
static const struct cape_site *find_block(struct cape_runtime *runtime, uint64_t address)
{
	struct cape_profiling *profiling = runtime->profiling;
	const struct cape_stack *stack = runtime->stack;
	const struct cape_site *site = NULL;

	for (size_t i = 0; i < stack->reaching_count && !is_in(site, address); i++)
		site = cape_sites_at(runtime, stack->reaching[i].address);
	for (size_t i = 0; i < CAPE_PROFILING_BLOCKS && !is_in(site, address); i++)
		site = cape_sites_at(runtime, profiling->block[i]);
	if (is_in(site, address))
		return site;
	if (!profiling->searches)
		return NULL;
	profiling->searches--;
	site = cape_sites_find(runtime, address);
	if (site)
		profiling->block[profiling->blocks++ % CAPE_PROFILING_BLOCKS] = site->address;
	return site;
}

/* Whether one of the words of LENGTH bytes at ADDRESS points to OBJECT: how far after that. */
static bool points_to(uint64_t address, uint64_t length, const struct cape_profile_object *object,
		      uint32_t *offset)
{
	const uint64_t *word = (const uint64_t *)(uintptr_t)address;

	if (length > POINTERS_MOST)
		length = POINTERS_MOST;
	for (uint32_t i = 0; address % sizeof(*word) == 0 && i < length / sizeof(*word); i++) {
		if (word[i] != object->start)
			continue;
		*offset = i * (uint32_t)sizeof(*word);
		return true;
	}
	return false;
}

static bool set_name(struct cape_profile_object *object, const char *name,
		     enum cape_profile_way way, uint32_t offset)
{
	snprintf(object->name, sizeof(object->name), "%s", name);
	object->way = way;
	object->offset = offset;
	return true;
}

static bool name_by_local(const struct cape_stack *stack, struct cape_profile_object *object)
{
	for (size_t i = 0; i < stack->local_count; i++) {
		const struct cape_local *local = &stack->local[i];
		uint32_t offset;

		if (points_to(local->address, local->size, object, &offset))
			return set_name(object, local->name,
					local->size == sizeof(uint64_t) ? CAPE_WAY_DIRECT
									: CAPE_WAY_IN,
					offset);
	}
	return false;
}

/* Where what begins at ADDRESS ends: a block, a variable; on the stack that is not known. */
static uint64_t end_of(const struct cape_runtime *runtime, const struct cape_area *area,
		       uint64_t address)
{
	const struct cape_profile *profile = runtime->profiling->profile;
	const struct cape_site *site = cape_sites_at(runtime, address);
	uint64_t start = address - runtime->channel->load_bias;
	uint32_t which;

	if (area->kind == CAPE_AREA_HEAP)
		return site ? address + site->size : address;
	if (area->kind == CAPE_AREA_STACK)
		return runtime->stack->frame && address >= runtime->stack->frame ? area->end
										 : address;
	which = area->kind == CAPE_AREA_STATIC ? variable_from(profile, start) : UINT32_MAX;
	if (which >= profile->variables || profile->variable[which].start > start)
		return address;
	return address + profile->variable[which].start + profile->variable[which].size - start;
}

/* How many bytes from ADDRESS on can be read here and now. */
static uint64_t readable(const struct cape_runtime *runtime, const struct cape_area *area,
			 uint64_t address)
{
	const struct cape_directory_page *page = area ? cape_directory_page(area, address) : NULL;

	if (!area || (page && page->agreed.holders))
		return 0;
	return cape_page_end(address, end_of(runtime, area, address)) - address;
}

/* What the region's pointers lead to may hold pointers: a structure, rows.  The nearest is it. */
static bool name_by_reaching(const struct cape_runtime *runtime, struct cape_profile_object *object)
{
	const struct cape_stack *stack = runtime->stack;
	uint32_t offset, nearest = UINT32_MAX;

	for (size_t i = 0; i < stack->reaching_count; i++) {
		uint64_t address = stack->reaching[i].address;
		const struct cape_area *area = cape_areas_find(runtime->areas, address, 1);

		if (!points_to(address, readable(runtime, area, address), object, &offset) ||
		    offset >= nearest)
			continue;
		nearest = offset;
		set_name(object, stack->reaching[i].name,
			 area->kind == CAPE_AREA_STACK ? CAPE_WAY_STACK : CAPE_WAY_AFTER, offset);
	}
	return nearest != UINT32_MAX;
}

static void name_by_static(const struct cape_runtime *runtime, struct cape_profile_object *object)
{
	const struct cape_profile *profile = runtime->profiling->profile;

	for (uint32_t i = 0; i < profile->variables && !object->pointer; i++) {
		const struct cape_profile_variable *variable = &profile->variable[i];
		uint64_t address = variable->start + runtime->channel->load_bias;
		uint32_t offset;

		if (variable->size > POINTERS_MOST)
			continue;
		if (points_to(
			    address,
			    readable(runtime, cape_areas_find(runtime->areas, address, 1), address),
			    object, &offset))
			object->pointer = address + offset;
	}
}

/* A pointer that the region was given leads into the block. */
static bool is_named(const struct cape_stack *stack, const struct cape_site *site,
		     struct cape_profile_object *object)
{
	for (size_t i = 0; i < stack->reaching_count; i++)
		if (is_in(site, stack->reaching[i].address))
			return set_name(object, stack->reaching[i].name, CAPE_WAY_DIRECT, 0);
	return false;
}

static struct cape_range find_heap(struct cape_runtime *runtime, uint64_t address,
				   struct cape_profile_object *object)
{
	const struct cape_stack *stack = runtime->stack;
	const struct cape_site *site = find_block(runtime, address);
	bool inside = runtime->profiling->depth > 0; /* else pointers are of the region before */

	if (!site)
		return other(object, "heap memory",
			     (struct cape_range){address, cape_page_end(address, UINT64_MAX)});
	object->memory = CAPE_MEMORY_HEAP;
	object->start = site->address;
	object->size = site->size;
	object->site = site->code;
	if (!(inside && (is_named(stack, site, object) || name_by_local(stack, object) ||
			 name_by_reaching(runtime, object))))
		name_by_static(runtime, object);
	return range_of(object);
}

static struct cape_range find_on_stack(const struct cape_runtime *runtime, uint64_t address,
				       struct cape_profile_object *object)
{
	const struct cape_local *local = cape_shared_local(runtime, address);
	const struct cape_stack *stack = runtime->stack;
	uint64_t end = cape_page_end(address, UINT64_MAX);

	for (size_t i = 0; !local && i < stack->local_count; i++)
		if (stack->local[i].address > address && stack->local[i].address < end)
			end = stack->local[i].address;
	if (!local)
		return other(object, "the stack", (struct cape_range){address, end});
	object->memory = CAPE_MEMORY_AUTOMATIC;
	object->start = local->address;
	object->size = local->size;
	snprintf(object->name, sizeof(object->name), "%s", local->name);
	return range_of(object);
}

static struct cape_range find(struct cape_runtime *runtime, uint64_t address,
			      struct cape_profile_object *object)
{
	const struct cape_area *area = cape_areas_find(runtime->areas, address, 1);

	if (!area)
		return other(object, "memory", (struct cape_range){address, UINT64_MAX});
	if (area->kind == CAPE_AREA_HEAP)
		return find_heap(runtime, address, object);
	if (area->kind == CAPE_AREA_STACK)
		return find_on_stack(runtime, address, object);
	if (area->kind == CAPE_AREA_STATIC)
		return find_static(runtime, area, address, object);
	return other(object, area->name, (struct cape_range){area->start, area->end});
}

/* -- entries -------------------------------------------------------------------------------- */

static uint64_t key_of(const struct cape_profile_object *object)
{
	if (object->name[0])
		return XXH3_64bits(object->name, strlen(object->name)) + object->offset;
	return object->pointer ? object->pointer : object->start;
}

static bool is_same(const struct cape_profile_object *a, const struct cape_profile_object *b)
{
	return a->construct == b->construct && a->memory == b->memory && key_of(a) == key_of(b);
}

/* The entry of WHAT, or NULL: there is no room. */
static struct cape_profile_object *entry_of(struct cape_profiling *profiling,
					    const struct cape_profile_object *what)
{
	struct cape_profile *profile = profiling->profile;
	uint64_t key[2] = {key_of(what), what->construct};
	uint64_t slot = XXH3_64bits(key, sizeof(key)) % SLOTS;

	for (; profiling->objects[slot]; slot = (slot + 1) % SLOTS) {
		struct cape_profile_object *object = &profile->object[profiling->objects[slot] - 1];

		if (!is_same(object, what))
			continue;
		/* A name may lead to another block than before. */
		object->start = what->start;
		object->size = what->size;
		return object;
	}
	if (profile->objects == CAPE_PROFILE_OBJECTS) {
		profile->lost_objects++;
		return NULL;
	}
	profile->object[profile->objects] = *what;
	profiling->objects[slot] = ++profile->objects;
	return &profile->object[profile->objects - 1];
}

static void look_at(struct cape_runtime *runtime, uint64_t address)
{
	struct cape_profiling *profiling = runtime->profiling;
	struct cape_profile_object what = {.construct = profiling->profile->current};

	if (address >= profiling->found.start && address < profiling->found.end)
		return;
	profiling->found = find(runtime, address, &what);
	profiling->found_object = entry_of(profiling, &what);
}

/* The entry of OBJECT in the list of those that were fetched since the last sync point. */
static struct cape_profile_fetch *fetch_of(struct cape_profiling *profiling,
					   const struct cape_profile_object *object)
{
	uint32_t which = (uint32_t)(object - profiling->profile->object);
	size_t i = profiling->fetches;

	while (i-- > 0)
		if (profiling->fetch[i].object == which)
			return &profiling->fetch[i];
	profiling->fetch[profiling->fetches] = (struct cape_profile_fetch){
		.object = which, .before = object->bytes[CAPE_TRAFFIC_FETCHED]};
	return &profiling->fetch[profiling->fetches++];
}

static void note_fetched(struct cape_profiling *profiling, struct cape_profile_object *object)
{
	const struct cape_profile *profile = profiling->profile;
	struct cape_profile_fetch *fetch = fetch_of(profiling, object);
	uint64_t number = profile->construct[profile->current].fetches;

	object->stretches++;
	object->fetches += fetch->last != number;
	fetch->last = number;
}

void cape_profiling_memory(struct cape_runtime *runtime, enum cape_traffic traffic,
			   struct cape_range range, unsigned nodes)
{
	struct cape_profiling *profiling = runtime->profiling;
	struct cape_profile *profile = profiling->profile;
	uint64_t end;

	if (traffic == CAPE_TRAFFIC_FETCHED)
		profile->construct[profile->current].fetched_bytes += range.end - range.start;
	for (; range.start < range.end; range.start = end) {
		look_at(runtime, range.start);
		end = profiling->found.end < range.end ? profiling->found.end : range.end;
		if (!profiling->found_object)
			continue;
		if (traffic == CAPE_TRAFFIC_FETCHED)
			note_fetched(profiling, profiling->found_object);
		profiling->found_object->bytes[traffic] += (end - range.start) * nodes;
	}
}

/* -- sync points ---------------------------------------------------------------------------- */

static bool is_all_here(const struct cape_runtime *runtime, struct cape_range range)
{
	const struct cape_area *area =
		cape_areas_find(runtime->areas, range.start, range.end - range.start);

	if (!area || range.start == range.end)
		return false;
	for (uint64_t at = range.start; at < range.end; at = cape_page_end(at, range.end))
		if (!cape_directory_is_here(runtime, area, at))
			return false;
	return true;
}

void cape_profiling_sync(struct cape_runtime *runtime)
{
	struct cape_profiling *profiling = runtime->profiling;

	profiling->profile->construct[profiling->profile->current].sync_points++;
	profiling->fetches = 0;
}

/* Whether FETCH brought half, or more, of what others have of OBJECT if they share it evenly. */
static bool is_much(const struct cape_runtime *runtime, const struct cape_profile_fetch *fetch,
		    const struct cape_profile_object *object)
{
	uint64_t bytes = object->bytes[CAPE_TRAFFIC_FETCHED] - fetch->before;

	return 2 * bytes >= object->size / runtime->nodes * (runtime->nodes - 1);
}

void cape_profiling_look(struct cape_runtime *runtime)
{
	struct cape_profiling *profiling = runtime->profiling;

	for (size_t i = 0; i < profiling->fetches; i++) {
		const struct cape_profile_fetch *fetch = &profiling->fetch[i];
		struct cape_profile_object *object = &profiling->profile->object[fetch->object];

		object->whole +=
			is_much(runtime, fetch, object) && is_all_here(runtime, range_of(object));
	}
}
