/* SPDX-License-Identifier: GPL-2.0-or-later */
/* histogram.h - the picture whose grey levels HISTOGRAM counts and evens out, and the check. */
#ifndef BENCH_APPS_HISTOGRAM_H
#define BENCH_APPS_HISTOGRAM_H

#include "app.h"

#define HISTOGRAM_SIZE	      4000000 /* pixels */
#define HISTOGRAM_MOST	      1000000000
#define HISTOGRAM_LEVELS      4096
#define HISTOGRAM_MOST_LEVELS 65536
#define HISTOGRAM_ITERATIONS  5

/* More dark pixels than bright ones. */
static inline int histogram_start(int levels, int i)
{
	double grey = scattered((unsigned int)i);

	return (int)(grey * grey * levels);
}

/*
 * What each level becomes: its share of the pixels that are not brighter, as the usual equalisation
 * has it, and turned by a third, so that every iteration changes the picture.
 */
static inline void histogram_map(int n, int levels, const int *counts, int *map)
{
	long below = 0;

	for (int level = 0; level < levels; level++) {
		below += counts[level];
		map[level] = (int)((below * (levels - 1) / n + levels / 3) % levels);
	}
}

/* What each level of the first picture has become, by one more MAP. */
static inline void histogram_compose(int levels, const int *map, int *composed)
{
	for (int level = 0; level < levels; level++)
		composed[level] = map[composed[level]];
}

/* The map that changes nothing. */
static inline int *histogram_identity(int levels)
{
	int *map = allocate((size_t)levels, sizeof(*map));

	for (int level = 0; level < levels; level++)
		map[level] = level;
	return map;
}

/* Whether COUNTS can be those of a picture whose N levels have the sum LIGHT. */
static inline int histogram_is_right(int n, int levels, const int *counts, long light)
{
	long pixels = 0, sum = 0;

	for (int level = 0; level < levels; level++) {
		pixels += counts[level];
		sum += (long)level * counts[level];
	}
	return pixels == n && sum == light;
}

static inline void histogram_print(int n, int levels, int iterations, const int *counts,
				   unsigned long sum)
{
	printf("histogram: n %d, levels %d, iterations %d, counts %016lx, sum %016lx\n", n, levels,
	       iterations, hash(counts, (size_t)levels * sizeof(*counts)), sum);
}

#endif
