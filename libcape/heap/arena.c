/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * arena.c - allocate, release and resize in an arena, and its growth; see arena.h and, for what
 * an arena looks like inside, arena_block.h.
 */
#include "heap/arena.h"

#include <errno.h>
#include <string.h>

#include "system/libc.h"
#include "heap/arena_block.h"
#include "system/ranges.h"

#define PAGE	   ((uint64_t)4096)
#define GROWTH	   ((uint64_t)1 << 20)	/* the least that is mapped at once */
#define GROWTH_MAX ((uint64_t)64 << 20) /* the most that is mapped in advance */
#define TRIM_MIN   ((uint64_t)1 << 20)	/* no smaller free end is given back */
#define TRIM_MAX   ((uint64_t)64 << 20) /* any larger one is */
#define MERGE_SIZE ((uint64_t)64 << 10) /* freeing this much at once may merge quick lists */
#define PAGED	   ((uint64_t)64 << 10) /* blocks from here on begin at a page */

static uint64_t round_up(uint64_t value, uint64_t unit)
{
	return (value + unit - 1) & ~(unit - 1);
}

/* -- quick lists ------------------------------------------------------------------------ */

/* Whether so much is in the quick lists that merging it may spare the arena growth. */
static bool quick_lists_are_long(const struct header *header)
{
	return header->quick_bytes > MERGE_SIZE + header->top / 8;
}

static void merge_quick_lists(struct cape_arena *arena)
{
	struct header *header = header_of(arena);

	for (size_t i = 0; i <= QUICK_MAX / 16; i++) {
		while (header->quick[i]) {
			uint64_t block = header->quick[i];
			uint64_t size = free_size(arena, block, QUICK);

			header->quick[i] = *word_at(arena, block);
			*tag_of(arena, block) ^= QUICK;
			cape_arena_merge(arena, block, size);
		}
	}
	header->quick_bytes = 0;
}

/* -- the arena's end -------------------------------------------------------------------- */

void cape_arena_init(struct cape_arena *arena, void *start, uint64_t limit)
{
	arena->start = start;
	arena->limit = limit;
	arena->writable = 0;
	arena->huge = false;
}

int cape_arena_open(struct cape_arena *arena)
{
	return cape_arena_reach(arena, FIRST_BLOCK);
}

static int map_up_to(struct cape_arena *arena, uint64_t end)
{
	unsigned char *from = arena->start + arena->writable;
	void *memory = mmap(from, end - arena->writable, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

	if (memory == MAP_FAILED)
		return -errno;
	if (memory != from) { /* Linux before 4.17 takes the address as a hint */
		munmap(memory, end - arena->writable);
		return -EEXIST;
	}
	if (arena->huge)
		madvise(from, end - arena->writable, MADV_HUGEPAGE);
	arena->writable = end;
	return 0;
}

int cape_arena_reach(struct cape_arena *arena, uint64_t length)
{
	uint64_t ahead;

	if (length <= arena->writable)
		return 0;
	if (length > arena->limit)
		return -ENOMEM;
	ahead = round_up(length + cape_least(length / 8, GROWTH_MAX), GROWTH);
	if (!map_up_to(arena, cape_least(ahead, arena->limit)))
		return 0;
	return map_up_to(arena, round_up(length, PAGE));
}

/*
 * Whether the free end is large enough to give back.  It must be twice as large as one that was
 * given back before, or a loop that allocates and frees would get fresh pages in every round.
 */
static bool end_is_large(const struct header *header)
{
	uint64_t threshold = cape_least(2 * header->trimmed, TRIM_MAX);

	return header->last_listed &&
	       header->top - header->last_listed >= (threshold > TRIM_MIN ? threshold : TRIM_MIN);
}

/* Gives the free end back to the system. */
static void trim_end(struct cape_arena *arena)
{
	struct header *header = header_of(arena);
	uint64_t block = header->last_listed, top = header->top;
	uint64_t zero_from = block - TAG_SIZE, page;
	int saved = errno;

	cape_arena_unlist(arena, block, top - block);
	header->top = block;
	if (header->trimmed < top - block)
		header->trimmed = top - block;
	page = cape_least(round_up(zero_from, PAGE), top);
	memset(arena->start + zero_from, 0, page - zero_from);
	if (page < top && madvise(arena->start + page, top - page, MADV_DONTNEED) < 0)
		memset(arena->start + page, 0, top - page);
	errno = saved;
}

/* -- allocate --------------------------------------------------------------------------- */

/* The size of a block for SIZE bytes, or 0 if no arena is that large. */
static uint64_t block_size(size_t size)
{
	if (unlikely(size > LARGEST))
		return 0;
	return size <= MIN_SIZE - TAG_SIZE ? MIN_SIZE : round_up(size + TAG_SIZE, 16);
}

/* The first place in the free stretch at BLOCK that is aligned; what is before it can be listed. */
static uint64_t aligned_place(const struct cape_arena *arena, uint64_t block, uint64_t alignment)
{
	uint64_t address = (uint64_t)(uintptr_t)arena->start + block;
	uint64_t gap = round_up(address, alignment) - address;

	if (gap && gap < MIN_SIZE)
		gap += alignment;
	return block + gap;
}

/*
 * Makes a used block of SIZE bytes at PLACE in a stretch of LENGTH free bytes at BLOCK, which is
 * in no list and has no listed neighbours; lists what is left of it.
 */
static void cut(struct cape_arena *arena, uint64_t block, uint64_t length, uint64_t place,
		uint64_t size)
{
	uint64_t end = block + length, rest = end - place - size;

	if (rest >= MIN_SIZE)
		cape_arena_list(arena, place + size, rest);
	else if (end < header_of(arena)->top)
		*tag_of(arena, end) &= ~AFTER_LISTED;
	if (rest < MIN_SIZE)
		size += rest;
	*tag_of(arena, place) = size | USED | seal(place);
	if (place > block)
		cape_arena_list(arena, block, place - block);
}

/* Cuts a block from the free lists, or 0. */
static uint64_t allocate_listed(struct cape_arena *arena, uint64_t size, uint64_t alignment)
{
	uint64_t block = cape_arena_find(arena, size), place, length;

	if (!block)
		return 0;
	place = aligned_place(arena, block, alignment);
	if (place + size > block + free_size(arena, block, 0)) {
		block = cape_arena_find(arena, size + alignment + MIN_SIZE - 16);
		if (!block)
			return 0;
		place = aligned_place(arena, block, alignment);
	}
	length = free_size(arena, block, 0);
	cape_arena_unlist(arena, block, length);
	cut(arena, block, length, place, size);
	return place;
}

/* Cuts a block from the arena's end, with the listed block that ends there if there is one. */
static uint64_t allocate_at_top(struct cape_arena *arena, uint64_t size, uint64_t alignment)
{
	struct header *header = header_of(arena);
	uint64_t block = header->last_listed ? header->last_listed : header->top;
	uint64_t place = aligned_place(arena, block, alignment);

	if (cape_arena_reach(arena, place + size))
		return 0;
	if (block < header->top)
		cape_arena_unlist(arena, block, header->top - block);
	if (place + size > header->top)
		header->top = place + size;
	cut(arena, block, header->top - block, place, size);
	return place;
}

/* A block that is in no quick list; *DIRTY is the length of its part that may not be zero. */
static uint64_t allocate_block(struct cape_arena *arena, uint64_t size, uint64_t alignment,
			       uint64_t *dirty)
{
	struct header *header = header_of(arena);
	/* What nodes share by whole rows or blocks is then shared by whole pages more often. */
	uint64_t least = size < PAGED ? CAPE_ARENA_ALIGNMENT : PAGE;
	uint64_t block = 0, top;

	if (alignment < least)
		alignment = least;
	if (!size || size > arena->limit || alignment > arena->limit - size)
		goto no_room;
	if (!header->top)
		header->top = FIRST_BLOCK;
	block = allocate_listed(arena, size, alignment);
	if (!block && quick_lists_are_long(header)) {
		merge_quick_lists(arena);
		block = allocate_listed(arena, size, alignment);
	}
	*dirty = size - TAG_SIZE;
	if (block)
		return block;

	top = header->top;
	block = allocate_at_top(arena, size, alignment);
	if (!block && header->quick_bytes) {
		merge_quick_lists(arena);
		top = header->top;
		block = allocate_listed(arena, size, alignment);
		if (!block)
			block = allocate_at_top(arena, size, alignment);
		else
			return block;
	}
	if (!block)
		goto no_room;
	*dirty = block < top ? cape_least(top - block, size) - TAG_SIZE : 0;
	return block;

no_room:
	errno = ENOMEM;
	return 0;
}

/* A block of SIZE bytes from its quick list, or 0. */
static inline uint64_t allocate_quick(struct cape_arena *arena, uint64_t size)
{
	struct header *header = header_of(arena);
	uint64_t block = header->quick[size / 16];

	if (!block)
		return 0;
	if (unlikely(free_size(arena, block, QUICK) != size))
		cape_arena_damaged(arena, block);
	header->quick[size / 16] = *word_at(arena, block);
	header->quick_bytes -= size;
	*tag_of(arena, block) ^= QUICK | USED;
	return block;
}

void *cape_arena_allocate(struct cape_arena *arena, size_t size, size_t alignment)
{
	uint64_t needed = block_size(size), block = 0, dirty;

	if (likely(needed <= QUICK_MAX && alignment <= CAPE_ARENA_ALIGNMENT))
		block = allocate_quick(arena, needed);
	if (!block)
		block = allocate_block(arena, needed, alignment, &dirty);
	return block ? arena->start + block : NULL;
}

void *cape_arena_allocate_zeroed(struct cape_arena *arena, size_t size)
{
	uint64_t needed = block_size(size), block = 0, dirty = needed - TAG_SIZE;

	if (likely(needed <= QUICK_MAX))
		block = allocate_quick(arena, needed);
	if (!block)
		block = allocate_block(arena, needed, CAPE_ARENA_ALIGNMENT, &dirty);
	return block ? memset(arena->start + block, 0, dirty) : NULL;
}

/* -- release and resize ----------------------------------------------------------------- */

/* The block that POINTER is, or 0 if no block in use begins there. */
static inline uint64_t used_block(const struct cape_arena *arena, const void *pointer)
{
	uint64_t block = (uint64_t)(uintptr_t)pointer - (uint64_t)(uintptr_t)arena->start;

	if (unlikely(block % 16 || block < FIRST_BLOCK || block >= arena->writable))
		return 0;
	if (unlikely((*tag_of(arena, block) & (SEAL_MASK | USED | QUICK)) != (seal(block) | USED)))
		return 0;
	return block;
}

static void release_slowly(struct cape_arena *arena, uint64_t block, uint64_t size, bool trim)
{
	struct header *header = header_of(arena);

	*tag_of(arena, block) ^= USED;
	if (cape_arena_merge(arena, block, size) >= MERGE_SIZE && quick_lists_are_long(header))
		merge_quick_lists(arena);
	if (trim && end_is_large(header))
		trim_end(arena);
}

int cape_arena_release(struct cape_arena *arena, void *pointer, bool trim)
{
	struct header *header = header_of(arena);
	uint64_t block = used_block(arena, pointer), size;

	if (unlikely(!block))
		return -EFAULT;
	arena->changes++;
	size = *tag_of(arena, block) & SIZE_MASK;
	if (unlikely(size > QUICK_MAX)) {
		release_slowly(arena, block, size, trim);
		return 0;
	}
	*tag_of(arena, block) ^= USED | QUICK;
	*word_at(arena, block) = header->quick[size / 16];
	header->quick[size / 16] = block;
	header->quick_bytes += size;
	return 0;
}

/* Frees the end of a used block of LENGTH bytes after its first SIZE bytes, if it is worth it. */
static void cut_end(struct cape_arena *arena, uint64_t block, uint64_t length, uint64_t size,
		    bool trim)
{
	if (length - size < MIN_SIZE)
		return;
	*tag_of(arena, block) -= length - size;
	*tag_of(arena, block + size) = (length - size) | USED | seal(block + size);
	release_slowly(arena, block + size, length - size, trim);
}

/* Makes a used block longer: by the listed block after it, and at the end by fresh memory. */
static int extend(struct cape_arena *arena, uint64_t block, uint64_t length, uint64_t size)
{
	struct header *header = header_of(arena);
	uint64_t after = block + length;
	uint64_t more = cape_arena_listed_after(arena, block, length);

	if (length + more < size &&
	    (after + more < header->top || cape_arena_reach(arena, block + size)))
		return -ENOMEM;
	if (more)
		cape_arena_unlist(arena, after, more);
	if (length + more < size) {
		header->top = block + size;
		more = size - length;
	}
	*tag_of(arena, block) += more;
	if (after + more < header->top)
		*tag_of(arena, after + more) &= ~AFTER_LISTED;
	cut_end(arena, block, length + more, size, false);
	return 0;
}

int cape_arena_resize(struct cape_arena *arena, void *pointer, size_t size, bool trim)
{
	uint64_t block = used_block(arena, pointer), needed = block_size(size), length;

	if (!block)
		return -EFAULT;
	if (!needed)
		return -ENOMEM;
	arena->changes++;
	length = *tag_of(arena, block) & SIZE_MASK;
	if (needed > length)
		return extend(arena, block, length, needed);
	cut_end(arena, block, length, needed, trim);
	return 0;
}

/* -- questions -------------------------------------------------------------------------- */

size_t cape_arena_usable(const struct cape_arena *arena, const void *pointer)
{
	uint64_t block = used_block(arena, pointer);

	return block ? (*tag_of(arena, block) & SIZE_MASK) - TAG_SIZE : 0;
}

uint64_t cape_arena_first_block(void)
{
	return FIRST_BLOCK;
}

uint64_t cape_arena_top(const struct cape_arena *arena)
{
	return arena->writable ? header_of(arena)->top : 0;
}

uint64_t *cape_arena_root(const struct cape_arena *arena)
{
	return header_of(arena)->root;
}
