/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * random.h - numbers that look random, the same for the same seed: for tests, and for what tests
 * have CAPE do.
 */
#ifndef CAPE_RANDOM_H
#define CAPE_RANDOM_H

#include <stdint.h>

/* splitmix64; *STATE begins as the seed. */
static inline uint64_t cape_random_next(uint64_t *state)
{
	uint64_t mixed = *state += 0x9e3779b97f4a7c15ull;

	mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9ull;
	mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111ebull;
	return mixed ^ mixed >> 31;
}

/* 0 .. LIMIT - 1 */
static inline uint64_t cape_random_below(uint64_t *state, uint64_t limit)
{
	return cape_random_next(state) % limit;
}

#endif
