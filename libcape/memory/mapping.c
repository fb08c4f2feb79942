// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * mapping.c - the list of the program's own mappings, and changing it on all nodes.
 */
#include "memory/mapping.h"

#include <errno.h>
#include <string.h>
#include "system/libc.h"
#include "heap/heap_lock.h"
#include "base/ordering.h"
#include "base/saved.h"
#include "memory/area.h"
#include "memory/calls.h"
#include "system/ranges.h"

CAPE_PART(mappings, NULL);

#define MAPPINGS_LIMIT 65536ul /* Linux lets a process have no more */

/* -- the list ----------------------------------------------------------------------------- */

/* The first mapping that ends after ADDRESS; the list's length: none does. */
static size_t find_index(const struct cape_mappings *mappings, uint64_t address)
{
	return cape_ranges_find(mappings->list, mappings->count, sizeof(*mappings->list), address);
}

static void insert(struct cape_mappings *mappings, size_t at, struct cape_mapping mapping)
{
	memmove(&mappings->list[at + 1], &mappings->list[at],
		(mappings->count - at) * sizeof(mapping));
	mappings->list[at] = mapping;
	mappings->count++;
}

static void remove_at(struct cape_mappings *mappings, size_t at)
{
	mappings->count--;
	memmove(&mappings->list[at], &mappings->list[at + 1],
		(mappings->count - at) * sizeof(mappings->list[0]));
}

/* Makes ADDRESS a border between mappings; the one that begins there, or the next, is returned. */
static size_t split(struct cape_mappings *mappings, uint64_t address)
{
	size_t at = find_index(mappings, address);

	if (at < mappings->count && mappings->list[at].start < address) {
		insert(mappings, at, mappings->list[at]);
		mappings->list[at].end = address;
		mappings->list[++at].start = address;
	}
	return at;
}

static bool alike(const struct cape_mapping *a, const struct cape_mapping *b)
{
	return a->end == b->start && a->protection == b->protection && a->flags == b->flags &&
	       a->used == b->used && a->opened == b->opened;
}

static void join(struct cape_mappings *mappings, size_t at)
{
	if (at == 0 || at >= mappings->count ||
	    !alike(&mappings->list[at - 1], &mappings->list[at]))
		return;
	mappings->list[at - 1].end = mappings->list[at].end;
	remove_at(mappings, at);
}

/* Splitting needs two free entries, a mapping one more. */
static int have_room(struct cape_runtime *runtime)
{
	struct cape_mappings *mappings = runtime->mappings;

	if (!mappings->list)
		mappings->list = cape_private_reserve(&runtime->private,
						      MAPPINGS_LIMIT * sizeof(*mappings->list));
	return mappings->list && mappings->count + 3 <= MAPPINGS_LIMIT ? 0 : -ENOMEM;
}

static void cut_out(struct cape_mappings *mappings, uint64_t start, uint64_t end)
{
	size_t at;

	split(mappings, end);
	at = split(mappings, start);
	while (at < mappings->count && mappings->list[at].start < end)
		remove_at(mappings, at);
}

static bool is_accessible(int protection)
{
	return protection & (PROT_READ | PROT_WRITE);
}

const struct cape_mapping *cape_mapping_find(const struct cape_runtime *runtime, uint64_t address)
{
	const struct cape_mappings *mappings = runtime->mappings;
	size_t at = find_index(mappings, address);

	return at < mappings->count && mappings->list[at].start <= address ? &mappings->list[at]
									   : NULL;
}

/* While another thread allocates for itself, it seems so. */
static bool is_parallel(struct cape_runtime *runtime)
{
	bool locked = runtime->nodes > 1 && cape_heap_lock(runtime);
	bool parallel = runtime->heap->parallel;

	cape_heap_unlock(runtime, locked);
	return parallel;
}

uint64_t cape_mapping_place(struct cape_runtime *runtime, uint64_t length)
{
	const struct cape_mappings *mappings = runtime->mappings;
	uint64_t start = CAPE_MAPPED_START, end = start + CAPE_MAPPED_SEQUENTIAL_SIZE;

	if (is_parallel(runtime)) {
		uint64_t size = CAPE_MAPPED_NODES_SIZE / cape_heap_shares(runtime->nodes);

		start = end + runtime->node * size;
		end = start + size;
	}
	for (size_t at = find_index(mappings, start); at < mappings->count; at++) {
		if (mappings->list[at].start >= start && mappings->list[at].start - start >= length)
			break;
		start = mappings->list[at].end;
	}
	return start <= end && length <= end - start ? start : 0;
}

/* -- changing it -------------------------------------------------------------------------- */

/* A change, as it is noted for other nodes. */
struct change {
	int (*make)(struct cape_runtime *runtime, const struct change *change);
	uint64_t start, end;
	int protection, flags;
};

static int protect_pages(uint64_t start, uint64_t end, int protection)
{
	return mprotect((void *)(uintptr_t)start, end - start, protection) < 0 ? -errno : 0;
}

static void forget_twin(struct cape_runtime *runtime, const struct change *change)
{
	struct cape_area *area =
		cape_areas_find(runtime->areas, change->start, change->end - change->start);

	cape_area_forget(area, (struct cape_range){change->start, change->end});
}

static int make_map(struct cape_runtime *runtime, const struct change *change)
{
	struct cape_mappings *mappings = runtime->mappings;
	size_t at;

	if (mmap((void *)(uintptr_t)change->start, change->end - change->start, change->protection,
		 (change->flags & ~CAPE_MAPPING_OF_FILE) | MAP_ANONYMOUS | MAP_FIXED, -1,
		 0) == MAP_FAILED)
		return -errno;
	forget_twin(runtime, change);
	cut_out(mappings, change->start, change->end);
	at = find_index(mappings, change->start);
	insert(mappings, at,
	       (struct cape_mapping){.start = change->start,
				     .end = change->end,
				     .protection = change->protection,
				     .flags = change->flags,
				     .used = is_accessible(change->protection)});
	join(mappings, at + 1);
	join(mappings, at);
	return 0;
}

static int make_unmap(struct cape_runtime *runtime, const struct change *change)
{
	if (munmap((void *)(uintptr_t)change->start, change->end - change->start) < 0)
		return -errno;
	forget_twin(runtime, change);
	cut_out(runtime->mappings, change->start, change->end);
	return 0;
}

static int make_protect(struct cape_runtime *runtime, const struct change *change)
{
	struct cape_mappings *mappings = runtime->mappings;
	int error = protect_pages(change->start, change->end, change->protection);
	size_t first, at;

	if (error)
		return error;
	split(mappings, change->end);
	first = split(mappings, change->start);
	for (at = first; at < mappings->count && mappings->list[at].start < change->end; at++) {
		mappings->list[at].protection = change->protection;
		mappings->list[at].used |= is_accessible(change->protection);
		mappings->list[at].opened = false;
	}
	for (; at + 1 > first; at--)
		join(mappings, at);
	return 0;
}

static void make_again(struct cape_runtime *runtime, const void *arguments)
{
	const struct change *change = arguments;
	int error = have_room(runtime);

	if (!error)
		error = change->make(runtime, change);
	if (error)
		cape_fail(runtime, 0,
			  "node %u: cannot map %llu bytes at %#llx as another node did: %s",
			  runtime->node, (unsigned long long)(change->end - change->start),
			  (unsigned long long)change->start, strerror(-error));
}

static int make_everywhere(struct cape_runtime *runtime, struct change change)
{
	int error;

	runtime->ordering->begin_access(runtime);
	error = have_room(runtime);
	if (!error)
		error = change.make(runtime, &change);
	runtime->ordering->end_access(runtime);
	if (!error && cape_is_concurrent(runtime))
		cape_calls_note(runtime, CAPE_CALL_ONCE, make_again, &change, sizeof(change));
	return error;
}

int cape_mapping_map(struct cape_runtime *runtime, uint64_t start, uint64_t end, int protection,
		     int flags)
{
	return make_everywhere(runtime, (struct change){make_map, start, end, protection, flags});
}

int cape_mapping_unmap(struct cape_runtime *runtime, uint64_t start, uint64_t end)
{
	return make_everywhere(runtime, (struct change){.make = make_unmap, start, end});
}

int cape_mapping_protect(struct cape_runtime *runtime, uint64_t start, uint64_t end, int protection)
{
	return make_everywhere(runtime, (struct change){make_protect, start, end, protection, 0});
}

/* -- for sync points ---------------------------------------------------------------------- */

void cape_mapping_open(struct cape_runtime *runtime)
{
	struct cape_mappings *mappings = runtime->mappings;

	for (size_t i = 0; i < mappings->count; i++) {
		struct cape_mapping *mapping = &mappings->list[i];

		if (!mapping->used || mapping->opened ||
		    (mapping->protection & (PROT_READ | PROT_WRITE)) == (PROT_READ | PROT_WRITE))
			continue;
		protect_pages(mapping->start, mapping->end, PROT_READ | PROT_WRITE);
		mapping->opened = true;
		mappings->opened = true;
	}
}

void cape_mapping_close(struct cape_runtime *runtime)
{
	struct cape_mappings *mappings = runtime->mappings;

	for (size_t i = 0; i < mappings->count && mappings->opened; i++) {
		struct cape_mapping *mapping = &mappings->list[i];

		if (mapping->opened)
			protect_pages(mapping->start, mapping->end, mapping->protection);
		mapping->opened = false;
	}
	mappings->opened = false;
}

void cape_mapping_expect(struct cape_runtime *runtime)
{
	runtime->mappings->up_to_date = false;
}

int cape_mapping_reach(struct cape_runtime *runtime, uint64_t address, uint64_t length)
{
	const struct cape_mapping *mapping;

	/* The notes of what was mapped lie in the heap, which comes before. */
	if (!runtime->mappings->up_to_date) {
		cape_calls_follow(runtime);
		cape_mapping_open(runtime);
		runtime->mappings->up_to_date = true;
	}
	while ((mapping = cape_mapping_find(runtime, address))) {
		if (!mapping->used)
			break;
		if (length <= mapping->end - address)
			return 0;
		length -= mapping->end - address;
		address = mapping->end;
	}
	return -EFAULT;
}

/* -- for saving --------------------------------------------------------------------------- */

static const char *refuse(struct cape_runtime *runtime)
{
	const struct cape_mappings *mappings = runtime->mappings;

	for (size_t i = 0; i < mappings->count; i++)
		if ((mappings->list[i].flags & MAP_TYPE) != MAP_PRIVATE)
			return "the program maps memory with MAP_SHARED";
	return NULL;
}

static uint64_t put_list(struct cape_runtime *runtime, unsigned char *to)
{
	const struct cape_mappings *mappings = runtime->mappings;
	uint64_t size = mappings->count * sizeof(*mappings->list);

	if (to && size)
		memcpy(to, mappings->list, size);
	return size;
}

/* All can be written to until the end. */
static void take_list(struct cape_runtime *runtime, const unsigned char *from, uint64_t size)
{
	struct cape_mapping mapping;

	for (; size >= sizeof(mapping); from += sizeof(mapping), size -= sizeof(mapping)) {
		int error = have_room(runtime);

		memcpy(&mapping, from, sizeof(mapping));
		if (!error && mmap((void *)(uintptr_t)mapping.start, mapping.end - mapping.start,
				   mapping.protection | PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1,
				   0) == MAP_FAILED)
			error = -errno;
		if (error < 0)
			cape_fail_for_addresses(runtime, "restore what the program has mapped",
						error);
		mapping.opened = mapping.protection != (PROT_READ | PROT_WRITE);
		runtime->mappings->opened |= mapping.opened;
		runtime->mappings->list[runtime->mappings->count++] = mapping;
	}
}

static void close_list(struct cape_runtime *runtime, const unsigned char *from, uint64_t size)
{
	(void)from, (void)size;
	cape_mapping_close(runtime);
}

CAPE_SAVED(mappings, .refuse = refuse, .put = put_list, .take = take_list, .finish = close_list);
