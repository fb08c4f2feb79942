/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jacobi2d.c - JACOBI2D: Jacobi's iteration with five points on a square plate.
 *
 * Usage: jacobi2d [points per side [iterations]]
 */
#include "../omp/wtime.h"
#include "jacobi2d.h"

static void fill(int n, const double *line, double u[n][n], double v[n][n])
{
#pragma omp parallel for
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++)
			u[i][j] = v[i][j] = line[i] * line[j];
}

/* One iteration; the largest change of a point. */
static double iterate(int n, double from[n][n], double to[n][n])
{
	double change = 0;

#pragma omp parallel for reduction(max : change)
	for (int i = 1; i < n - 1; i++)
		for (int j = 1; j < n - 1; j++) {
			double next = jacobi2d_next(from[i - 1][j], from[i + 1][j], from[i][j - 1],
						    from[i][j + 1]);

			change = fmax(change, fabs(next - from[i][j]));
			to[i][j] = next;
		}
	return change;
}

static int check(int n, int iterations, const double *line, double u[n][n], double change)
{
	double factor = jacobi2d_factor(n, iterations);
	unsigned long sum = 0;
	int good = 1;

#pragma omp parallel for reduction(+ : sum) reduction(&& : good)
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++) {
			double expected = factor * (line[i] * line[j]);

			sum += fingerprint(u[i][j], (size_t)i * (size_t)n + (size_t)j);
			good = good && jacobi2d_is_right(u[i][j], expected);
		}
	jacobi2d_print(n, iterations, change, sum);
	return verdict("jacobi2d", good);
}

int main(int argc, char **argv)
{
	int n = argument(argc, argv, 1, JACOBI2D_SIZE, 3, JACOBI2D_MOST);
	int iterations = argument(argc, argv, 2, JACOBI2D_ITERATIONS, 0, 1000000);
	size_t points = (size_t)n * (size_t)n;
	double *line = jacobi2d_line(n);
	double(*u)[n] = allocate(points, sizeof(double)),
	(*v)[n] = allocate(points, sizeof(double));
	double entered = common_clock(), started, change = 0;
	int status;

	fill(n, line, u, v);
	started = common_clock();
	report_part("jacobi2d", "init", started - entered);
	for (int iteration = 0; iteration < iterations; iteration++) {
		double(*last)[n] = u;

		change = iterate(n, u, v);
		u = v;
		v = last;
	}
	report_time("jacobi2d", common_clock() - started);
	status = check(n, iterations, line, u, change);
	free(line);
	free(u);
	free(v);
	return status;
}
