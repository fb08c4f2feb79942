/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * heap.c - the heap of a CAPE program: which arena a call goes to, and frees of blocks of other
 * arenas.
 *
 * A block of another arena that a node frees goes on a list in the node's own arena (such a block
 * itself may be read by another node still), in chunks that the arena's root word leads to.
 */
#include "heap/heap.h"

#include <errno.h>
#include <string.h>
#include "system/libc.h"

#define OTHERS_CHUNK 126 /* addresses: a chunk is 1 KB */

/* Addresses that a node freed and does not own.  Offset 0 of an arena is no chunk. */
struct frees_of_others {
	uint64_t next; /* offset of the chunk that was filled before, or 0 */
	uint64_t count;
	uint64_t address[OTHERS_CHUNK];
};

static uint64_t arena_address(const struct cape_heap *heap, unsigned int index)
{
	return index ? CAPE_HEAP_NODES_START + (index - 1) * heap->node_size : CAPE_HEAP_START;
}

/* The index of the arena that ADDRESS lies in, also of a node that there is not; or -1. */
static int arena_index(const struct cape_heap *heap, uint64_t address)
{
	uint64_t offset = address - CAPE_HEAP_START;

	if (offset < CAPE_HEAP_SEQUENTIAL_SIZE)
		return 0;
	offset -= CAPE_HEAP_SEQUENTIAL_SIZE;
	if (offset >= CAPE_HEAP_NODES_SIZE || !heap->node_size)
		return -1;
	return 1 + (int)(offset / heap->node_size);
}

static struct cape_arena *arena_of(const struct cape_heap *heap, const void *address)
{
	int index = arena_index(heap, (uintptr_t)address);

	if ((uintptr_t)address - CAPE_HEAP_APART_START < CAPE_HEAP_APART_SIZE && heap->apart.start)
		return (struct cape_arena *)&heap->apart;
	if (index < 0 || index > (int)heap->nodes)
		return NULL;
	return (struct cape_arena *)&heap->arenas[index];
}

int cape_heap_start(struct cape_heap *heap, unsigned int node, unsigned int nodes)
{
	int error;

	if (nodes < 1 || nodes > CAPE_HEAP_MAX_NODES || node >= nodes)
		return -EINVAL;
	heap->node_size = CAPE_HEAP_NODES_SIZE / cape_heap_shares(nodes);
	for (unsigned int i = 0; i <= nodes; i++) {
		uint64_t size = i ? heap->node_size : CAPE_HEAP_SEQUENTIAL_SIZE;
		struct cape_arena *arena = &heap->arenas[i];

		if (!arena->start)
			cape_arena_init(arena, (void *)(uintptr_t)arena_address(heap, i), size);
		/* It was one of few, perhaps, when the heap was started first. */
		arena->limit = size;
	}
	error = cape_arena_open(&heap->arenas[0]);
	if (!error)
		error = cape_arena_open(&heap->arenas[1 + node]);
	if (error)
		return error;
	heap->node = node;
	heap->nodes = nodes;
	cape_heap_parallel(heap, heap->parallel);
	return 0;
}

void cape_heap_in_huge_pages(struct cape_heap *heap)
{
	struct cape_arena *arena = &heap->arenas[0];

	arena->huge = true;
	madvise(arena->start, arena->writable, MADV_HUGEPAGE);
}

void cape_heap_parallel(struct cape_heap *heap, bool parallel)
{
	heap->parallel = parallel;
	heap->current = &heap->arenas[parallel ? 1 + heap->node : 0];
}

void cape_heap_apart(struct cape_heap *heap, bool apart)
{
	struct cape_arena *arena = &heap->apart;

	if (!apart) {
		cape_heap_parallel(heap, heap->parallel_before);
		return;
	}
	heap->parallel_before = heap->parallel;
	if (!arena->start) {
		cape_arena_init(arena, (void *)(uintptr_t)CAPE_HEAP_APART_START,
				CAPE_HEAP_APART_SIZE);
		if (cape_arena_open(arena)) {
			arena->start = NULL;
			return;
		}
	}
	heap->parallel = true;
	heap->current = arena;
}

/* -- blocks ----------------------------------------------------------------------------- */

void *cape_heap_allocate(struct cape_heap *heap, size_t size, size_t alignment)
{
	return cape_arena_allocate(heap->current, size, alignment);
}

void *cape_heap_allocate_zeroed(struct cape_heap *heap, size_t size)
{
	return cape_arena_allocate_zeroed(heap->current, size);
}

/*
 * Notes a free for cape_heap_settle(); with no room for the note the block stays allocated.
 * Only reads the other arena: block and tag came here by the same sync point.
 */
__attribute__((noinline)) static int release_later(struct cape_heap *heap, struct cape_arena *arena,
						   const void *block)
{
	struct cape_arena *own = heap->current;
	uint64_t *root = cape_arena_root(own);
	struct frees_of_others *frees = (struct frees_of_others *)(own->start + *root);

	if (!cape_arena_usable(arena, block))
		return -EFAULT;
	if (!*root || frees->count == OTHERS_CHUNK) {
		int saved = errno;

		frees = cape_arena_allocate(own, sizeof *frees, CAPE_ARENA_ALIGNMENT);
		errno = saved;
		if (!frees)
			return 0;
		frees->next = *root;
		frees->count = 0;
		*root = (uint64_t)((unsigned char *)frees - own->start);
	}
	frees->address[frees->count++] = (uintptr_t)block;
	return 0;
}

/* Whether this node alone decides on blocks of ARENA now, or all do alike. */
static bool is_at_hand(const struct cape_heap *heap, const struct cape_arena *arena)
{
	return !heap->parallel || arena == heap->current || arena == &heap->apart;
}

int cape_heap_release(struct cape_heap *heap, void *block)
{
	struct cape_arena *arena = arena_of(heap, block);

	if (!arena)
		return -EFAULT;
	if (is_at_hand(heap, arena))
		return cape_arena_release(arena, block, !heap->parallel);
	return release_later(heap, arena, block);
}

void *cape_heap_resize(struct cape_heap *heap, void *block, size_t size)
{
	struct cape_arena *arena = arena_of(heap, block);
	size_t usable = arena ? cape_arena_usable(arena, block) : 0;
	void *moved;

	if (!usable) {
		errno = EFAULT;
		return NULL;
	}
	if (is_at_hand(heap, arena) && !cape_arena_resize(arena, block, size, !heap->parallel))
		return block;
	moved = cape_arena_allocate(arena == &heap->apart ? arena : heap->current, size,
				    CAPE_ARENA_ALIGNMENT);
	if (!moved)
		return NULL;
	memcpy(moved, block, usable < size ? usable : size);
	cape_heap_release(heap, block);
	return moved;
}

size_t cape_heap_usable(const struct cape_heap *heap, const void *block)
{
	const struct cape_arena *arena = arena_of(heap, block);

	return arena ? cape_arena_usable(arena, block) : 0;
}

bool cape_heap_changes(const struct cape_heap *heap, const void *block, uint64_t *changes)
{
	const struct cape_arena *arena = &heap->arenas[0];

	*changes = arena->changes;
	return arena_of(heap, block) == arena;
}

bool cape_heap_owns(const struct cape_heap *heap, const void *address)
{
	return arena_of(heap, address);
}

/* -- what sync points need --------------------------------------------------------------- */

bool cape_heap_is_settled(const struct cape_heap *heap)
{
	for (unsigned int node = 0; node < heap->nodes; node++) {
		const struct cape_arena *own = &heap->arenas[1 + node];

		if (cape_arena_top(own) && *cape_arena_root(own))
			return false;
	}
	return true;
}

size_t cape_heap_settle(struct cape_heap *heap,
			void (*report)(void *context, unsigned int node, uint64_t address),
			void *context)
{
	size_t bad = 0;

	for (unsigned int node = 0; node < heap->nodes; node++) {
		struct cape_arena *own = &heap->arenas[1 + node];
		uint64_t *root = cape_arena_root(own);

		while (cape_arena_top(own) && *root) {
			struct frees_of_others *frees = (void *)(own->start + *root);

			for (uint64_t i = 0; i < frees->count; i++) {
				void *block = (void *)(uintptr_t)frees->address[i];
				struct cape_arena *arena = arena_of(heap, block);

				if (arena && !cape_arena_release(arena, block, !heap->parallel))
					continue;
				bad++;
				if (report)
					report(context, node, frees->address[i]);
			}
			*root = frees->next;
			cape_arena_release(own, frees, !heap->parallel);
		}
	}
	return bad;
}

uint64_t *cape_heap_word(const struct cape_heap *heap, unsigned int node)
{
	const struct cape_arena *arena = &heap->arenas[1 + node];

	return cape_arena_top(arena) ? cape_arena_root(arena) + 1 : NULL;
}

size_t cape_heap_ranges(const struct cape_heap *heap, struct cape_heap_range *ranges, size_t max)
{
	size_t count = heap->current ? 1 + heap->nodes : 0;

	for (size_t i = 0; i < count && i < max; i++) {
		ranges[i].address = (uintptr_t)heap->arenas[i].start;
		ranges[i].length = cape_arena_top(&heap->arenas[i]);
	}
	return count;
}

int cape_heap_reach(struct cape_heap *heap, uint64_t address, uint64_t length)
{
	while (length) {
		int index = arena_index(heap, address), error;
		struct cape_arena *arena = &heap->arenas[index < 0 ? 0 : index];
		uint64_t part;

		if (index < 0) {
			if (address >= CAPE_HEAP_END || length <= CAPE_HEAP_START - address)
				return 0;
			part = CAPE_HEAP_START - address;
		} else {
			uint64_t offset = address - arena_address(heap, (unsigned int)index);
			uint64_t room = arena->limit - offset;

			if (index > (int)heap->nodes)
				return -EFAULT;
			part = length < room ? length : room;
			error = cape_arena_reach(arena, offset + part);
			if (error)
				return error;
		}
		address += part;
		length -= part;
	}
	return 0;
}

int cape_heap_catch_up(struct cape_heap *heap)
{
	for (unsigned int i = 0; i <= heap->nodes; i++) {
		struct cape_arena *arena = &heap->arenas[i];
		int error = cape_arena_reach(arena, cape_arena_top(arena));

		if (error)
			return error;
	}
	return 0;
}
