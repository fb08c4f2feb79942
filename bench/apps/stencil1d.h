/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stencil1d.h - the sine that STENCIL1D smoothes, and what must become of it. */
#ifndef BENCH_APPS_STENCIL1D_H
#define BENCH_APPS_STENCIL1D_H

#include <math.h>
#include "app.h"

#define STENCIL1D_MEGABYTES	 16 /* of each of the two arrays */
#define STENCIL1D_MOST_MEGABYTES 65536
#define STENCIL1D_ITERATIONS	 10

static inline size_t stencil1d_length(int megabytes)
{
	return ((size_t)megabytes << 20) / sizeof(double);
}

/* Half waves of the sine over N elements: one in 8 elements, and always 0 at both ends. */
static inline size_t stencil1d_waves(size_t n)
{
	return (n - 1) / 8;
}

static inline double stencil1d_start(size_t n, size_t i)
{
	return sin(PI * (double)(i * stencil1d_waves(n) % (2 * (n - 1))) / (double)(n - 1));
}

static inline double stencil1d_next(double left, double middle, double right)
{
	return 0.25 * left + 0.5 * middle + 0.25 * right;
}

/* What the sine has been multiplied by after so many iterations. */
static inline double stencil1d_factor(size_t n, int iterations)
{
	double angle = PI * (double)stencil1d_waves(n) / (double)(n - 1);

	return pow(0.5 + 0.5 * cos(angle), iterations);
}

static inline int stencil1d_is_right(size_t n, size_t i, double factor, double value)
{
	return fabs(value - factor * stencil1d_start(n, i)) < 1e-12;
}

static inline void stencil1d_print(size_t n, int iterations, unsigned long sum)
{
	printf("stencil1d: n %zu, iterations %d, sum %016lx\n", n, iterations, sum);
}

#endif
