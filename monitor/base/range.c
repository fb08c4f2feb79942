// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * range.c - looking for an address among ranges.
 */
#include "range.h"

size_t range_find(const void *list, size_t count, size_t size, uint64_t address)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const uint64_t *range = (const void *)((const char *)list + middle * size);

		if (range[1] <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}
