/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lu.h - the matrix that LU factors, a step of one row, and the check of the factors. */
#ifndef BENCH_APPS_LU_H
#define BENCH_APPS_LU_H

#include <math.h>
#include "app.h"

#define LU_SIZE 640
#define LU_MOST 32768

/* The diagonal outweighs its row, so that no pivoting is needed. */
static inline double lu_start(int n, int i, int j)
{
	return scattered((unsigned int)i * (unsigned int)n + (unsigned int)j) + (i == j ? n : 0);
}

/* Takes row K, the PIVOT, out of a row below it; the factor takes the place of the element. */
static inline void lu_eliminate(int n, int k, const double *pivot, double *row)
{
	double factor = row[k] / pivot[k];

	row[k] = factor;
	for (int j = k + 1; j < n; j++)
		row[j] -= factor * pivot[j];
}

/* What the factors are multiplied by to check them. */
static inline double lu_probe(int i)
{
	return 0.5 + scattered(~(unsigned int)i);
}

/* Row I of U, times the probe. */
static inline double lu_upper(int n, int i, const double *row)
{
	double sum = 0;

	for (int j = i; j < n; j++)
		sum += row[j] * lu_probe(j);
	return sum;
}

/* Whether row I of L, times UPPER, which is U times the probe, is row I of the matrix times it. */
static inline int lu_is_right(int n, int i, const double *row, const double *upper)
{
	double product = upper[i], expected = 0;

	for (int j = 0; j < i; j++)
		product += row[j] * upper[j];
	for (int j = 0; j < n; j++)
		expected += lu_start(n, i, j) * lu_probe(j);
	return fabs(product - expected) < 1e-11 * n;
}

static inline unsigned long lu_fingerprint(int n, int i, const double *row)
{
	unsigned long sum = 0;

	for (int j = 0; j < n; j++)
		sum += fingerprint(row[j], (size_t)i * (size_t)n + (size_t)j);
	return sum;
}

static inline int lu_finish(int n, unsigned long sum, int good)
{
	printf("lu: n %d, sum %016lx\n", n, sum);
	return verdict("lu", good);
}

#endif
