/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * touched.h - a set of single bytes of memory: those that checkpoints of exact runs have set.
 */
#ifndef CAPE_TOUCHED_H
#define CAPE_TOUCHED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "channel/range.h"
#include "checkpoint/exact.h"
#include "system/memory.h"

#define CAPE_TOUCHED_PAGE    4096ul
#define CAPE_TOUCHED_BUCKETS 4096ul

/* Of which page which bytes, one bit each, lowest first. */
struct cape_touched_page {
	uint64_t address;
	uint32_t next; /* in its bucket: number plus 1, or 0 */
	unsigned char bits[CAPE_TOUCHED_PAGE / 8];
};

/* All zero but MEMORY, which must outlive it: an empty set. */
struct cape_touched {
	struct cape_memory *memory;
	struct cape_touched_page *page;
	size_t count, capacity;
	uint32_t bucket[CAPE_TOUCHED_BUCKETS];
	unsigned char *left; /* of cape_touched_without() */
	size_t left_room;
};

static inline bool cape_touched_is_empty(const struct cape_touched *touched)
{
	return !touched->count;
}

/* Adds what the SIZE BYTES of a checkpoint set.  0, -ENOMEM, or -EBADMSG when it is malformed. */
int cape_touched_add(struct cape_touched *touched, const void *bytes, uint64_t size);

/*
 * As cape_exact_apply_all() does it with cape_exact_take(), but of the checkpoint only bytes that
 * are in the set, and not those of runs that yield.
 */
int cape_touched_take(const struct cape_touched *touched, const void *bytes, uint64_t size,
		      const struct cape_exact_memory *memory);

/*
 * The checkpoint of *SIZE *BYTES becomes one without those bytes of runs that yield which are in
 * the set, of CAPE_TOUCHED_BOUND(*SIZE) at most; it is the set's, until the next one is made.  0,
 * or, and then it is as it was, -ENOMEM, or -EBADMSG when it is malformed.
 */
int cape_touched_without(struct cape_touched *touched, const void **bytes, uint64_t *size);
#define CAPE_TOUCHED_BOUND(size) (2 * (size))

/* Empties the set and keeps its memory. */
void cape_touched_clear(struct cape_touched *touched);

#endif
