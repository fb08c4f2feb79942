/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * arena_lists.c - the free lists of an arena, two-level segregated fit, and merging.
 *
 * Level 0 has a list for each size below 512 bytes; each level above it covers a power of two
 * in 32 classes.  Two levels of bitmaps find a list whose every block is large enough.
 */
#include "heap/arena_block.h"

#include <stdio.h>
#include <stdlib.h>
#include "system/libc.h"

#define FIT_ATTEMPTS 4 /* blocks of a request's own class that are looked at */

void cape_arena_damaged(const struct cape_arena *arena, uint64_t block)
{
	char place[32] = "", text[160];
	int length;

	if (block < arena->limit) /* else a link of a freed block was written over */
		snprintf(place, sizeof place, " near %p", (void *)(arena->start + block));
	length = snprintf(text, sizeof text,
			  "cape: the heap is damaged%s: the program wrote beyond a block, or into "
			  "one that it had freed\n",
			  place);
	if (write(STDERR_FILENO, text, (size_t)length) != length)
		abort();
	abort();
}

static unsigned int level_of(uint64_t size)
{
	return size < 512 ? 0 : 55 - (unsigned int)__builtin_clzll(size);
}

static unsigned int class_of(uint64_t size, unsigned int level)
{
	return (size >> (level ? level + 3 : 4)) % CLASSES;
}

void cape_arena_list(struct cape_arena *arena, uint64_t block, uint64_t size)
{
	struct header *header = header_of(arena);
	unsigned int level = level_of(size), class = class_of(size, level);
	uint64_t first = header->lists[level][class];

	*tag_of(arena, block) = size | seal(block);
	*word_at(arena, block) = first;
	*word_at(arena, block + 8) = 0;
	if (first)
		*word_at(arena, first + 8) = block;
	header->lists[level][class] = block;
	header->classes[level] |= (uint32_t)1 << class;
	header->levels |= (uint64_t)1 << level;

	if (block + size == header->top) {
		header->last_listed = block;
	} else {
		*word_at(arena, block + size - 16) = size;
		*tag_of(arena, block + size) |= AFTER_LISTED;
	}
}

void cape_arena_unlist(struct cape_arena *arena, uint64_t block, uint64_t size)
{
	struct header *header = header_of(arena);
	unsigned int level = level_of(size), class = class_of(size, level);
	uint64_t next = *word_at(arena, block), previous = *word_at(arena, block + 8);

	if (next) {
		free_size(arena, next, 0);
		if (unlikely(*word_at(arena, next + 8) != block))
			cape_arena_damaged(arena, block);
		*word_at(arena, next + 8) = previous;
	}
	if (previous) {
		free_size(arena, previous, 0);
		if (unlikely(*word_at(arena, previous) != block))
			cape_arena_damaged(arena, block);
		*word_at(arena, previous) = next;
	} else {
		if (unlikely(header->lists[level][class] != block))
			cape_arena_damaged(arena, block);
		header->lists[level][class] = next;
		if (!next) {
			header->classes[level] &= ~((uint32_t)1 << class);
			if (!header->classes[level])
				header->levels &= ~((uint64_t)1 << level);
		}
	}
	if (header->last_listed == block)
		header->last_listed = 0;
}

uint64_t cape_arena_find(const struct cape_arena *arena, uint64_t size)
{
	const struct header *header = header_of(arena);
	unsigned int level = level_of(size), class = class_of(size, level);
	uint64_t block = header->lists[level][class];
	uint64_t larger;

	for (int i = 0; block && i < FIT_ATTEMPTS; i++) {
		if (free_size(arena, block, 0) >= size)
			return block;
		block = *word_at(arena, block);
	}
	larger = header->classes[level] & (~(uint64_t)1 << class);
	if (!larger) {
		uint64_t levels = header->levels & (~(uint64_t)1 << level);

		if (!levels)
			return 0;
		level = (unsigned int)__builtin_ctzll(levels);
		larger = header->classes[level];
		if (unlikely(!larger))
			cape_arena_damaged(arena, 0);
	}
	return header->lists[level][__builtin_ctzll(larger)];
}

uint64_t cape_arena_listed_after(const struct cape_arena *arena, uint64_t block, uint64_t size)
{
	uint64_t after = block + size, top = header_of(arena)->top, tag;

	if (unlikely(after > top))
		cape_arena_damaged(arena, block);
	if (after == top)
		return 0;
	tag = *tag_of(arena, after);
	if (unlikely((tag & SEAL_MASK) != seal(after)))
		cape_arena_damaged(arena, after);
	return tag & (USED | QUICK) ? 0 : tag & SIZE_MASK;
}

uint64_t cape_arena_merge(struct cape_arena *arena, uint64_t block, uint64_t size)
{
	uint64_t after = block + size, more = cape_arena_listed_after(arena, block, size);

	if (*tag_of(arena, block) & AFTER_LISTED) {
		uint64_t before = block - *word_at(arena, block - 16);

		if (unlikely(free_size(arena, before, 0) != block - before))
			cape_arena_damaged(arena, block);
		cape_arena_unlist(arena, before, block - before);
		size += block - before;
		block = before;
	}
	if (more)
		cape_arena_unlist(arena, after, more);
	cape_arena_list(arena, block, size + more);
	return size + more;
}
