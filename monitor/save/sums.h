/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sums.h - checksums of a program's blocks of memory when it was saved: what has the same sum the
 * next time has not changed.
 */
#ifndef CAPE_SAVE_SUMS_H
#define CAPE_SAVE_SUMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sum;

/* Of blocks in the order of their addresses; zeroed, it has none. */
struct sums {
	struct sum *sum;
	size_t count, capacity;
	size_t next; /* that was not asked for yet */
};

/*
 * Adds the block of SIZE bytes at BYTES, which are the program's from ADDRESS on, to SUMS; *SAME:
 * BEFORE has the same.  Addresses rise from one block to the next.  0 or -ENOMEM.
 */
int sums_add(struct sums *sums, struct sums *before, uint64_t address, const void *bytes,
	     size_t size, bool *same);

void sums_free(struct sums *sums);

#endif
