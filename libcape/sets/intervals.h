/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * intervals.h - sets of bytes, as a list of stretches of addresses.
 */
#ifndef CAPE_INTERVALS_H
#define CAPE_INTERVALS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "sets/box.h"
#include "system/memory.h"

struct cape_interval {
	uint64_t start, end;
	uint64_t before; /* bytes in the intervals before, once the set is sorted */
};

/* Zero-initialise it. */
struct cape_intervals {
	struct cape_memory *memory; /* where the lists are; NULL: pages of the kernel's choice */
	struct cape_interval *list, *spare; /* for sorting */
	size_t count, room, spare_room;
};

/* Adds SIZE bytes from START on.  0 or -ENOMEM. */
int cape_intervals_add_stretch(struct cape_intervals *set, uint64_t start, uint64_t size);

/* The same with all that OTHER has. */
int cape_intervals_add_all(struct cape_intervals *set, const struct cape_intervals *other);

/* Adds the bytes of BOX.  0; -E2BIG: they are in too many pieces; -ENOMEM. */
int cape_intervals_add(struct cape_intervals *set, const struct cape_box *box);

/* Sorts the intervals and joins those that meet; before the set is asked.  0 or -ENOMEM. */
int cape_intervals_sort(struct cape_intervals *set);

/* The interval that has ADDRESS, or NULL. */
const struct cape_interval *cape_intervals_find(const struct cape_intervals *set, uint64_t address);

/* The end of what the set holds without a gap from ADDRESS on; ADDRESS if it does not hold that. */
uint64_t cape_intervals_reach(const struct cape_intervals *set, uint64_t address);

/* How many bytes it holds. */
uint64_t cape_intervals_bytes(const struct cape_intervals *set);

/* Whether two sets have a byte in common. */
bool cape_intervals_meet(const struct cape_intervals *one, const struct cape_intervals *other);

void cape_intervals_empty(struct cape_intervals *set);

#endif
