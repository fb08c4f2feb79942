/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stencil1d.c - STENCIL1D: a three-point stencil from one array to another, and back.
 *
 * Usage: stencil1d [megabytes of each array [iterations]]
 */
#include "../omp/wtime.h"
#include "stencil1d.h"

static void fill(size_t n, double *u, double *v)
{
#pragma omp parallel for
	for (size_t i = 0; i < n; i++)
		u[i] = v[i] = stencil1d_start(n, i);
}

static void smooth(size_t n, const double *from, double *to)
{
#pragma omp parallel for
	for (size_t i = 1; i < n - 1; i++)
		to[i] = stencil1d_next(from[i - 1], from[i], from[i + 1]);
}

static int check(size_t n, int iterations, const double *u)
{
	double factor = stencil1d_factor(n, iterations);
	unsigned long sum = 0;
	int good = 1;

#pragma omp parallel for reduction(+ : sum) reduction(&& : good)
	for (size_t i = 0; i < n; i++) {
		sum += fingerprint(u[i], i);
		good = good && stencil1d_is_right(n, i, factor, u[i]);
	}
	stencil1d_print(n, iterations, sum);
	return verdict("stencil1d", good);
}

int main(int argc, char **argv)
{
	int megabytes = argument(argc, argv, 1, STENCIL1D_MEGABYTES, 1, STENCIL1D_MOST_MEGABYTES);
	int iterations = argument(argc, argv, 2, STENCIL1D_ITERATIONS, 0, 1000000);
	size_t n = stencil1d_length(megabytes);
	double *u = allocate(n, sizeof(*u)), *v = allocate(n, sizeof(*v));
	double entered = common_clock(), started;
	int status;

	fill(n, u, v);
	started = common_clock();
	report_part("stencil1d", "init", started - entered);
	for (int iteration = 0; iteration < iterations; iteration++) {
		double *last = u;

		smooth(n, u, v);
		u = v;
		v = last;
	}
	report_time("stencil1d", common_clock() - started);
	status = check(n, iterations, u);
	free(u);
	free(v);
	return status;
}
