/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * range.h - ranges of addresses: entries of lists that begin with their start and their end.
 */
#ifndef CAPE_RANGE_H
#define CAPE_RANGE_H

#include <stddef.h>
#include <stdint.h>

/*
 * Which of COUNT entries of SIZE bytes, each of which begins with uint64_t start, end, in the order
 * of addresses, is the first that ends behind ADDRESS; COUNT: none is.
 */
size_t range_find(const void *list, size_t count, size_t size, uint64_t address);

static inline uint64_t range_least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static inline uint64_t range_greatest(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

#endif
