/* SPDX-License-Identifier: GPL-2.0-or-later */
/* jacobi2d.h - the plate of JACOBI2D, a product of two sines, and what must become of it. */
#ifndef BENCH_APPS_JACOBI2D_H
#define BENCH_APPS_JACOBI2D_H

#include <math.h>
#include "app.h"

#define JACOBI2D_SIZE	    2048
#define JACOBI2D_MOST	    65536
#define JACOBI2D_ITERATIONS 10

/* Half waves of the sine over N points: one in 16 points, or one. */
static inline int jacobi2d_waves(int n)
{
	return n > 32 ? (n - 1) / 16 : 1;
}

/* The sine along one side; point (i, j) of the plate is line[i] * line[j]. */
static inline double *jacobi2d_line(int n)
{
	double *line = allocate((size_t)n, sizeof(*line));

	for (int i = 0; i < n; i++)
		line[i] = sin(PI * (i * jacobi2d_waves(n) % (2 * (n - 1))) / (n - 1));
	return line;
}

static inline double jacobi2d_next(double up, double down, double left, double right)
{
	return 0.25 * (up + down + left + right);
}

/* What the plate has been multiplied by after so many iterations. */
static inline double jacobi2d_factor(int n, int iterations)
{
	return pow(cos(PI * jacobi2d_waves(n) / (n - 1)), iterations);
}

static inline int jacobi2d_is_right(double value, double expected)
{
	return fabs(value - expected) < 1e-12;
}

static inline void jacobi2d_print(int n, int iterations, double change, unsigned long sum)
{
	printf("jacobi2d: n %d, iterations %d, last change %.17g, sum %016lx\n", n, iterations,
	       change, sum);
}

#endif
