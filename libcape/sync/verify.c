/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * verify.c - proving the invariant (libcape/README.md): all nodes hash shared memory and compare;
 * on a difference they compare page by page, then byte by byte.
 *
 * The C library's memory is left out: it keeps random keys of its own.  So is, of the stack, what
 * the kernel leaves for a handler that a region is in, and the handler's frames.
 */
#include "sync/verify.h"

#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include "base/own_objects.h"
#include "memory/directory.h"
#include "memory/shared.h"
#include "base/way.h"
#include "sync/sync_point.h"
#include "system/libc.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#define LIST_LIMIT (1ull << 36)

/* One page, or the part of it that is shared. */
struct page_hash {
	uint64_t address;
	uint64_t length;
	uint64_t hash;
};

struct page_list {
	struct page_hash *page;
	size_t count;
};

/* What is looked at, and by what. */
struct look {
	struct cape_runtime *runtime;
	void (*at)(struct look *look, struct cape_range range);
	uint64_t restorer; /* where handlers return to; 0: there are none */
	XXH64_hash_t hash;
	struct page_list list;
};

/* As the kernel has it. */
struct kernel_action {
	uint64_t handler, flags, restorer, mask;
};

/* What handlers return to is the C library's, one for all. */
static uint64_t find_restorer(void)
{
	struct kernel_action action = {0};

	for (int number = 1; number <= 64 && !action.restorer; number++)
		syscall(SYS_rt_sigaction, number, NULL, &action, sizeof(action.mask));
	return action.restorer;
}

/* What the kernel leaves for a handler, and the bytes below the stack pointer that it spares. */
struct signal_frame {
	uint64_t restorer;
	ucontext_t context;
};
#define RED_ZONE 128u

/* Where a signal's frame ends that begins at AT, before END; AT if none does. */
static uint64_t end_of_signal_frame(const struct look *look, uint64_t at, uint64_t end)
{
	const struct signal_frame *frame = (const struct signal_frame *)(uintptr_t)at;
	uint64_t interrupted;

	if (end - at < sizeof(*frame) || frame->restorer != look->restorer)
		return at;
	interrupted = (uint64_t)frame->context.uc_mcontext.gregs[REG_RSP] - RED_ZONE;
	return interrupted > at && interrupted <= end ? interrupted : at;
}

/*
 * A handler's own frame, where a region is in it, ends after the address that it returns to.  It
 * and those of what the handler has called save registers of what was interrupted, which may be
 * the C library with this node's process in them.
 */
static void look_at_stack(struct look *look, struct cape_range range)
{
	uint64_t from = range.start, at = ((range.start + 7) & ~7ull) - sizeof(look->restorer);

	while (look->restorer && at < range.end) {
		uint64_t end = end_of_signal_frame(look, at, range.end);

		if (end > at)
			from = end;
		at = end > at ? (end + 7) & ~7ull : at + 8;
	}
	if (from < range.end)
		look->at(look, (struct cape_range){from, range.end});
}

static int look_at_range(void *context, struct cape_area *area, struct cape_range range)
{
	struct look *look = context;

	if (area->kind == CAPE_AREA_STACK)
		look_at_stack(look, range);
	else if (area->kind != CAPE_AREA_MASTER)
		look->at(look, range);
	return 0;
}

static void hash_range(struct look *look, struct cape_range range)
{
	look->hash = XXH3_64bits_withSeed((const void *)(uintptr_t)range.start,
					  range.end - range.start, look->hash ^ range.start);
}

static void list_range(struct look *look, struct cape_range range)
{
	struct page_list *list = &look->list;

	for (uint64_t at = range.start, next; at < range.end; at = next) {
		next = cape_page_end(at, range.end);
		list->page[list->count++] = (struct page_hash){
			at, next - at, XXH3_64bits((const void *)(uintptr_t)at, next - at)};
	}
}

/* What NODE sent in the exchange just made. */
static const void *answer(struct cape_runtime *runtime, unsigned node, size_t *size)
{
	const struct cape_message *message = cape_exchange_message(runtime, node);

	*size = message->size[CAPE_SECTION_FREE];
	return cape_message_get(message, CAPE_SECTION_FREE);
}

/* The first node whose answer differs from the master's; 0: none. */
static unsigned first_different(struct cape_runtime *runtime)
{
	size_t master_size, size;
	const void *master = answer(runtime, 0, &master_size);

	for (unsigned node = 1; node < runtime->nodes; node++) {
		const void *other = answer(runtime, node, &size);

		if (size != master_size || memcmp(master, other, size) != 0)
			return node;
	}
	return 0;
}

/* The first page that NODE and the master hold differently. */
static struct page_hash different_page(struct cape_runtime *runtime, unsigned node,
				       const struct cape_place *place)
{
	size_t master_size, size, i = 0;
	const struct page_hash *master = answer(runtime, 0, &master_size);
	const struct page_hash *other = answer(runtime, node, &size);

	while (i < size / sizeof(*other) && i < master_size / sizeof(*master) &&
	       memcmp(&master[i], &other[i], sizeof(*master)) == 0)
		i++;
	if (i == size / sizeof(*other) || i == master_size / sizeof(*master) ||
	    master[i].address != other[i].address || master[i].length != other[i].length)
		cape_fail(runtime, 0,
			  "--verify: at %s:%d node %u uses other memory than node 0 (a heap or "
			  "stack of another size): sequential code ran differently",
			  place->file, place->line, node);
	return master[i];
}

/* SIZE bytes at AT as a number: how the user wrote a variable of 1, 2, 4 or 8 bytes. */
static uint64_t number(const unsigned char *at, size_t size)
{
	uint64_t value = 0;

	memcpy(&value, at, size);
	return value;
}

/* Where they still differ. */
static void report(struct cape_runtime *runtime, const struct page_hash *page, unsigned node,
		   const struct cape_place *place)
{
	size_t size, at = 0, word;
	const unsigned char *master = answer(runtime, 0, &size);
	const unsigned char *other = answer(runtime, node, &size);
	char name[128];
	uint64_t address;

	while (at < size && master[at] == other[at])
		at++;
	if (at == size)
		return;
	address = page->address + at;
	cape_shared_name(runtime, address, name, sizeof(name));
	/* The aligned word around the byte, or what of it belongs to the page. */
	at &= ~(size_t)7;
	word = size - at < 8 ? size - at : 8;
	cape_fail(runtime, address,
		  "--verify: at %s:%d %s is not the same on all nodes: %#llx on node 0, %#llx on "
		  "node %u",
		  place->file, place->line, name, (unsigned long long)number(master + at, word),
		  (unsigned long long)number(other + at, word), node);
}

/* What is one node's own nobody looks at: a thread may have come to it on one node first. */
static void unite_own_objects(struct cape_runtime *runtime, const struct cape_place *place)
{
	const struct cape_own_objects *own = runtime->own_objects;

	cape_exchange(runtime, CAPE_SYNC_VERIFY, own->object, own->count * sizeof(*own->object),
		      place);
	for (unsigned node = 0; node < runtime->nodes; node++) {
		size_t size;
		const struct cape_range *object = answer(runtime, node, &size);

		for (size_t i = 0; i < size / sizeof(*object); i++)
			cape_own_objects_add(runtime, object[i].start,
					     object[i].end - object[i].start);
	}
}

/*
 * Threads that the program made itself write on while all nodes are here: what is the same when it
 * is looked at again was the same.
 */
static void find_difference(struct cape_runtime *runtime, bool all, const struct cape_place *place)
{
	struct look look = {.runtime = runtime, .at = list_range, .restorer = find_restorer()};
	struct page_hash page;
	unsigned node;

	unite_own_objects(runtime, place);
	if (!runtime->sync->page_list)
		runtime->sync->page_list = cape_private_reserve(&runtime->private, LIST_LIMIT);
	look.list.page = runtime->sync->page_list;
	if (!look.list.page)
		cape_fail(runtime, 0, "--verify: no memory to look for the difference");
	cape_shared_each(runtime, all, look_at_range, &look);
	cape_exchange(runtime, CAPE_SYNC_VERIFY, look.list.page,
		      look.list.count * sizeof(*look.list.page), place);
	node = first_different(runtime);
	if (!node)
		return;
	page = different_page(runtime, node, place);
	cape_exchange(runtime, CAPE_SYNC_VERIFY, (const void *)(uintptr_t)page.address, page.length,
		      place);
	report(runtime, &page, node, place);
}

/* -- what some nodes hold ------------------------------------------------------------------- */

/* A page that this node holds with others. */
struct held_page {
	uint64_t address;
	uint64_t holders; /* hashed: a set's number is a node's own */
	uint64_t owner;
	uint64_t hash;
};

struct held_list {
	struct cape_runtime *runtime;
	struct held_page *page;
	size_t count;
};

static int list_held(void *context, struct cape_area *area, struct cape_range pages)
{
	struct held_list *list = context;
	struct cape_runtime *runtime = list->runtime;
	const struct cape_node_sets *sets = &runtime->directory->sets;

	for (uint64_t at = pages.start; at < pages.end; at += CAPE_PAGE) {
		const struct cape_directory_page *page = cape_directory_page(area, at);

		if (page->agreed.holders != runtime->directory->self &&
		    !runtime->way->is_new(runtime, at))
			list->page[list->count++] = (struct held_page){
				at,
				XXH3_64bits(cape_node_set_words(sets, page->agreed.holders),
					    sets->words * sizeof(uint64_t)),
				page->agreed.owner,
				XXH3_64bits((const void *)(uintptr_t)at, CAPE_PAGE)};
	}
	return 0;
}

static bool is_held_by(struct cape_runtime *runtime, uint64_t address, unsigned node)
{
	const struct cape_area *area = cape_areas_find(runtime->areas, address, 1);

	return cape_node_set_has(&runtime->directory->sets,
				 cape_directory_page(area, address)->agreed.holders, node);
}

/* The first page that this node and NODE hold both, and differently, or only one says so. */
static const struct held_page *differently_held(struct cape_runtime *runtime,
						const struct held_page *own, size_t count,
						unsigned node)
{
	size_t size, theirs, j = 0;
	const struct held_page *other = answer(runtime, node, &size);

	theirs = size / sizeof(*other);
	for (size_t i = 0; i < count; i++) {
		if (!is_held_by(runtime, own[i].address, node))
			continue;
		while (j < theirs && other[j].address < own[i].address)
			j++;
		if (j == theirs || memcmp(&own[i], &other[j], sizeof(*own)) != 0)
			return &own[i];
	}
	return NULL;
}

static void verify_held(struct cape_runtime *runtime, const struct cape_place *place)
{
	struct held_list list = {.runtime = runtime};

	if (!runtime->sync->page_list)
		runtime->sync->page_list = cape_must_reserve(runtime, LIST_LIMIT);
	list.page = runtime->sync->page_list;
	cape_directory_each(runtime, CAPE_PAGES_HELD, list_held, &list);
	cape_exchange(runtime, CAPE_SYNC_VERIFY, list.page, list.count * sizeof(*list.page), place);
	for (unsigned node = 0; node < runtime->nodes; node++) {
		const struct held_page *page =
			differently_held(runtime, list.page, list.count, node);

		if (page)
			cape_fail(
				runtime, page->address,
				"--verify: at %s:%d the page of @, %#llx, is not the same on nodes "
				"%u and %u, which both hold it",
				place->file, place->line, (unsigned long long)page->address,
				runtime->node, node);
	}
}

void cape_verify(struct cape_runtime *runtime, bool all, const struct cape_place *place)
{
	struct look look = {.runtime = runtime, .at = hash_range, .restorer = find_restorer()};

	cape_shared_each(runtime, all, look_at_range, &look);
	cape_exchange(runtime, CAPE_SYNC_VERIFY, &look.hash, sizeof(look.hash), place);
	if (first_different(runtime)) {
		cape_own_objects_hold(runtime);
		find_difference(runtime, all, place);
		cape_own_objects_release(runtime);
	}
	if (runtime->directory->count)
		verify_held(runtime, place);
}
