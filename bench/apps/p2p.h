/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * p2p.h - the grid of P2P and what its wave must leave in it.
 *
 * Each point becomes the sum of those above and to the left without that between them, as in the
 * kernel Synch_p2p of the Parallel Research Kernels; the last one, negated, begins the next wave.
 */
#ifndef BENCH_APPS_P2P_H
#define BENCH_APPS_P2P_H

#include "app.h"

#define P2P_SIZE       2000 /* rows; as many columns, unless they are given */
#define P2P_MOST       65536
#define P2P_ITERATIONS 1

/* The first row and the first column count up from 0. */
static inline double p2p_start(int i, int j)
{
	return i == 0 ? j : j == 0 ? i : 0;
}

/* Point (i, j) after some iterations; all numbers are whole. */
static inline double p2p_result(int rows, int columns, int iterations, int i, int j)
{
	double corner = (double)(rows - 1) + (columns - 1);

	if (iterations == 0)
		return p2p_start(i, j);
	if (i == 0 && j == 0)
		return -iterations * corner;
	if (i == 0 || j == 0)
		return p2p_start(i, j);
	return i + j + (iterations - 1) * corner;
}

static inline void p2p_print(int rows, int columns, int iterations, unsigned long sum)
{
	printf("p2p: rows %d, columns %d, iterations %d, sum %016lx\n", rows, columns, iterations,
	       sum);
}

#endif
