/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * private.h - memory of the run time itself: never shared, never compared, and at the same
 * addresses on every node, so that a program's own mmap() calls get the same ones everywhere too.
 */
#ifndef CAPE_PRIVATE_H
#define CAPE_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>
#include "system/memory.h"

/* Hands out parts of one stretch of address space, never given back. */
struct cape_private {
	char *next;
	char *end;
};

int cape_private_start(struct cape_private *private);

/* SIZE bytes of zeros, page-aligned; pages take memory when they are touched.  NULL and
 * errno: no room.
 */
void *cape_private_reserve(struct cape_private *private, size_t size);

/* A growable array in memory reserved for it: it never moves. */
struct cape_private_array {
	struct cape_memory memory; /* first: what the checkpoint core is given */
	void *start;
	size_t limit;
};

/* In LIMIT bytes at START, which cape_private_reserve() gave. */
void cape_private_array_init(struct cape_private_array *array, void *start, size_t limit);

/*
 * Memory for lists that grow, and move then: blocks of powers of 2, which are used again.  Small
 * ones are cut from chunks, and begin anywhere in a page; the end of a chunk that is too small for
 * the next one is lost.
 */
struct cape_private_blocks {
	struct cape_memory memory;
	struct cape_private *private;
	bool locked;
	char *chunk; /* that blocks are cut from, and bytes that are left of it */
	size_t left;
	void *free[48]; /* of 2 to the power of the index bytes; each begins with the next one */
};

void cape_private_blocks_init(struct cape_private_blocks *blocks, struct cape_private *private);

#endif
