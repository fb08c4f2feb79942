/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * random.h - reproducible random numbers for property tests.
 *
 * The seed is fixed, printed, and overridden by the environment variable CAPE_TEST_SEED.
 */
#ifndef CAPE_TEST_RANDOM_H
#define CAPE_TEST_RANDOM_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include "system/random.h"

struct random {
	uint64_t state;
};

static inline void random_start(struct random *random)
{
	const char *given = getenv("CAPE_TEST_SEED");

	random->state = given ? strtoull(given, NULL, 0) : 20180612;
	printf("# CAPE_TEST_SEED=%llu\n", (unsigned long long)random->state);
	fflush(stdout);
}

static inline uint64_t random_next(struct random *random)
{
	return cape_random_next(&random->state);
}

/* 0 .. LIMIT - 1 */
static inline uint64_t random_below(struct random *random, uint64_t limit)
{
	return cape_random_below(&random->state, limit);
}

static inline void random_bytes(struct random *random, void *bytes, size_t count)
{
	unsigned char *at = bytes;

	for (size_t i = 0; i < count; i++)
		at[i] = (unsigned char)random_next(random);
}

#endif
