/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * arena.h - an allocator whose whole state is in the memory that it hands out.
 *
 * An arena is a stretch of address space with a header at its start and blocks after it.  All
 * that the allocator knows is in there, as offsets from the start, so copying an arena's bytes
 * to another node copies the arena, and the same calls leave the same bytes on every node.
 * Memory that is all zero is an empty arena.
 *
 * Free blocks are kept as in TLSF (Masmano et al., "TLSF: a new dynamic memory allocator for
 * real-time systems", 2004), after quick lists of small blocks that are not merged at once.
 * Memory after the arena's top has never been touched, or was given back: it reads as zero.
 *
 * No locks: a node is one thread.
 */
#ifndef CAPE_RUNTIME_ARENA_H
#define CAPE_RUNTIME_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CAPE_ARENA_ALIGNMENT 16 /* of every block */

/* How this node sees an arena.  It is this node's own business and lives outside the arena. */
struct cape_arena {
	unsigned char *start; /* page-aligned; the same on every node */
	uint64_t limit;	      /* bytes that the arena may grow to: whole pages, at most 4 TB */
	uint64_t writable;    /* bytes from the start that are mapped on this node */
	bool huge;	      /* its memory may come in huge pages */
	uint64_t changes;     /* times that a block was taken back, or resized */
};

/* An arena at START that may grow to LIMIT bytes.  Maps nothing: the arena is not open yet. */
void cape_arena_init(struct cape_arena *arena, void *start, uint64_t limit);

/*
 * cape_arena_open - map the arena's header, so that it can be allocated from.
 *
 * 0, or -errno: -EEXIST something else is mapped there, -ENOMEM.
 */
int cape_arena_open(struct cape_arena *arena);

/*
 * cape_arena_reach - map at least the first LENGTH bytes of the arena, readable and writable.
 *
 * 0, or -errno as above; -ENOMEM also beyond the limit.
 */
int cape_arena_reach(struct cape_arena *arena, uint64_t length);

/*
 * cape_arena_allocate - a block of SIZE bytes (0 as well), aligned to ALIGNMENT, a power of two or
 * 0.
 *
 * The arena must be open.  NULL with errno ENOMEM when there is no room.  A block that is cut
 * fresh from the top is not written to.
 */
void *cape_arena_allocate(struct cape_arena *arena, size_t size, size_t alignment);

/* The same with all bytes zero; bytes that are zero already are not written to. */
void *cape_arena_allocate_zeroed(struct cape_arena *arena, size_t size);

/*
 * cape_arena_release - take a block back.
 *
 * TRIM says that a large free end of the arena may be given back to the system: the top goes
 * down and the memory after it is zero again.  0, or -EFAULT if there is no such block.
 */
int cape_arena_release(struct cape_arena *arena, void *block, bool trim);

/*
 * cape_arena_resize - make a block SIZE bytes long where it stands; TRIM as above.
 *
 * 0; -ENOMEM if it cannot grow where it stands, and then it is as it was; -EFAULT as above.
 */
int cape_arena_resize(struct cape_arena *arena, void *block, size_t size, bool trim);

/* The bytes that the owner of a block may use, or 0 if there is no such block. */
size_t cape_arena_usable(const struct cape_arena *arena, const void *block);

/* How many bytes at the start of each arena are its bookkeeping, which is in use at any time. */
uint64_t cape_arena_first_block(void);

/* The arena's bytes in use, from its start: all blocks and the header; 0 if it is empty. */
uint64_t cape_arena_top(const struct cape_arena *arena);

/* The first of CAPE_ARENA_ROOTS words, zero at first, for the use of an open arena's owner. */
#define CAPE_ARENA_ROOTS 2
uint64_t *cape_arena_root(const struct cape_arena *arena);

#endif
