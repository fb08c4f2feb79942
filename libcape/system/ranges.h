/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * ranges.h - looking for an address in lists whose entries are in the order of addresses.
 */
#ifndef CAPE_SYSTEM_RANGES_H
#define CAPE_SYSTEM_RANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline uint64_t cape_least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static inline uint64_t cape_greatest(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* For the two below: an entry's second number is its end, or PIECES: how many bytes it has. */
static inline size_t cape_ranges_search(const void *list, size_t count, size_t size,
					uint64_t address, bool pieces)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const uint64_t *entry = (const void *)((const char *)list + middle * size);

		if (entry[1] + (pieces ? entry[0] : 0) <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/*
 * Which of COUNT entries of SIZE bytes, each of which begins with uint64_t start, end, is the first
 * that ends after ADDRESS; COUNT: none is.
 */
static inline size_t cape_ranges_find(const void *list, size_t count, size_t size, uint64_t address)
{
	return cape_ranges_search(list, count, size, address, false);
}

/* The same of entries that begin with uint64_t start, length. */
static inline size_t cape_pieces_find(const void *list, size_t count, size_t size, uint64_t address)
{
	return cape_ranges_search(list, count, size, address, true);
}

#endif
