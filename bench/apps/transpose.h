/* SPDX-License-Identifier: GPL-2.0-or-later */
/* transpose.h - the matrix that TRANSPOSE adds to another, turned over, and what must come out. */
#ifndef BENCH_APPS_TRANSPOSE_H
#define BENCH_APPS_TRANSPOSE_H

#include "app.h"

#define TRANSPOSE_SIZE	     1536
#define TRANSPOSE_MOST	     32768
#define TRANSPOSE_ITERATIONS 3
#define TRANSPOSE_TILE	     32 /* rows and columns that fit the first cache */

static inline double transpose_start(int n, int i, int j)
{
	return (double)i * n + j;
}

/* Element (i, j) of the sum: each iteration adds (j, i), which then grows by one. */
static inline double transpose_result(int n, int iterations, int i, int j)
{
	double rounds = iterations;

	return rounds * transpose_start(n, j, i) + rounds * (rounds - 1) / 2;
}

static inline int transpose_least(int one, int other)
{
	return one < other ? one : other;
}

static inline void transpose_print(int n, int iterations, unsigned long sum)
{
	printf("transpose: n %d, iterations %d, sum %016lx\n", n, iterations, sum);
}

#endif
