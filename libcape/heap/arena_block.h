/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * arena_block.h - what an arena looks like inside: its header, its blocks, the free lists.
 *
 * A block is named by the offset of its first byte for the user.  The word before it is its
 * tag: size (of tag and block together, a multiple of 16), flags, and a seal that depends on
 * the offset, so that hardly any other word is taken for a tag.  A free block that is listed
 * holds the next and the previous one of its list, and in its last word its size:
 *
 *	  tag | next | previous | ...                 | size | tag of the next block | ...
 *	      ^ block                                        ^ block + size - 8
 *
 * The top is the offset where the next fresh block will be.  No block is after it, so the tag
 * before it is not written and a listed block that ends there has no size in its last word.
 */
#ifndef CAPE_RUNTIME_ARENA_BLOCK_H
#define CAPE_RUNTIME_ARENA_BLOCK_H

#include "heap/arena.h"

#define likely(condition)   __builtin_expect(!!(condition), 1)
#define unlikely(condition) __builtin_expect(!!(condition), 0)

/* Flags in a tag.  A block that is neither used nor quick is listed, and so is no neighbour. */
#define USED	     ((uint64_t)1)
#define QUICK	     ((uint64_t)2) /* free, in a quick list; its neighbours see a used block */
#define AFTER_LISTED ((uint64_t)4) /* the block before this one is listed */
#define SIZE_MASK    ((uint64_t)0x0000fffffffffff0)
#define SEAL_MASK    ((uint64_t)0xffff000000000000)

#define TAG_SIZE  sizeof(uint64_t)
#define MIN_SIZE  ((uint64_t)32)   /* tag, two links, size */
#define QUICK_MAX ((uint64_t)1040) /* sizes up to this one have a quick list */
#define CLASSES	  32		   /* per level of the free lists */
#define LEVELS	  35		   /* below 512 bytes, below 1 KB, ... 4 TB */
#define LARGEST	  ((uint64_t)1 << 42)

/* The start of an arena.  Lists of blocks end with 0. */
struct header {
	uint64_t top;			    /* 0: the arena was never used */
	uint64_t last_listed;		    /* the listed block that ends at the top, or 0 */
	uint64_t trimmed;		    /* the largest free end that was given back */
	uint64_t quick_bytes;		    /* in the quick lists */
	uint64_t root[CAPE_ARENA_ROOTS];    /* the owner's words */
	uint64_t quick[QUICK_MAX / 16 + 1]; /* first block of each size, or 0 */
	uint64_t levels;		    /* bit l: classes[l] is not 0 */
	uint32_t classes[LEVELS];	    /* bit c: lists[l][c] is not 0 */
	uint64_t lists[LEVELS][CLASSES];
};

#define FIRST_BLOCK ((sizeof(struct header) + TAG_SIZE + 15) & ~(uint64_t)15)

static inline struct header *header_of(const struct cape_arena *arena)
{
	return (struct header *)arena->start;
}

static inline uint64_t *word_at(const struct cape_arena *arena, uint64_t offset)
{
	return (uint64_t *)(arena->start + offset);
}

static inline uint64_t *tag_of(const struct cape_arena *arena, uint64_t block)
{
	return word_at(arena, block - TAG_SIZE);
}

static inline uint64_t seal(uint64_t block)
{
	return (block * 0x9e3779b97f4a7c15) & SEAL_MASK;
}

/* Ends the program, saying that the heap is damaged near BLOCK. */
_Noreturn void cape_arena_damaged(const struct cape_arena *arena, uint64_t block);

/* The size of a free block in a list (STATE 0) or a quick list (STATE QUICK). */
static inline uint64_t free_size(const struct cape_arena *arena, uint64_t block, uint64_t state)
{
	uint64_t tag;

	if (unlikely(block % 16 || block < FIRST_BLOCK || block >= arena->writable))
		cape_arena_damaged(arena, block);
	tag = *tag_of(arena, block);
	if (unlikely((tag & (SEAL_MASK | USED | QUICK)) != (seal(block) | state)))
		cape_arena_damaged(arena, block);
	return tag & SIZE_MASK;
}

/* Lists a block whose neighbours are not listed.  Writes its tag. */
void cape_arena_list(struct cape_arena *arena, uint64_t block, uint64_t size);

/* Takes a block off its list; the tag of the block after it still says AFTER_LISTED. */
void cape_arena_unlist(struct cape_arena *arena, uint64_t block, uint64_t size);

/* A listed block of at least SIZE bytes, or 0. */
uint64_t cape_arena_find(const struct cape_arena *arena, uint64_t size);

/* The size of the listed block after a BLOCK of SIZE bytes, or 0 if none is listed there. */
uint64_t cape_arena_listed_after(const struct cape_arena *arena, uint64_t block, uint64_t size);

/*
 * cape_arena_merge - list a free block together with its listed neighbours.
 *
 * The block is in no list, and its tag is written but for its size.  Returns the size of all.
 */
uint64_t cape_arena_merge(struct cape_arena *arena, uint64_t block, uint64_t size);

#endif
