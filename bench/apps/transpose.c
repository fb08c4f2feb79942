/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * transpose.c - TRANSPOSE: adds a matrix, turned over, to another one, again and again.
 *
 * Usage: transpose [rows [iterations]]
 */
#include "../omp/wtime.h"
#include "transpose.h"

static void fill(int n, double A[n][n], double B[n][n])
{
#pragma omp parallel for
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++) {
			A[i][j] = transpose_start(n, i, j);
			B[i][j] = 0;
		}
}

static void add_transposed(int n, double A[n][n], double B[n][n])
{
#pragma omp parallel for
	for (int top = 0; top < n; top += TRANSPOSE_TILE)
		for (int left = 0; left < n; left += TRANSPOSE_TILE)
			for (int i = top; i < transpose_least(top + TRANSPOSE_TILE, n); i++)
				for (int j = left; j < transpose_least(left + TRANSPOSE_TILE, n);
				     j++)
					B[i][j] += A[j][i];
#pragma omp parallel for
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++)
			A[i][j] += 1;
}

static int check(int n, int iterations, double B[n][n])
{
	unsigned long sum = 0;
	int good = 1;

#pragma omp parallel for reduction(+ : sum) reduction(&& : good)
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++) {
			sum += fingerprint(B[i][j], (size_t)i * (size_t)n + (size_t)j);
			good = good && B[i][j] == transpose_result(n, iterations, i, j);
		}
	transpose_print(n, iterations, sum);
	return verdict("transpose", good);
}

int main(int argc, char **argv)
{
	int n = argument(argc, argv, 1, TRANSPOSE_SIZE, 1, TRANSPOSE_MOST);
	int iterations = argument(argc, argv, 2, TRANSPOSE_ITERATIONS, 0, 1000);
	size_t elements = (size_t)n * (size_t)n;
	double(*A)[n] = allocate(elements, sizeof(double));
	double(*B)[n] = allocate(elements, sizeof(double));
	double entered = common_clock(), started;
	int status;

	fill(n, A, B);
	started = common_clock();
	report_part("transpose", "init", started - entered);
	for (int iteration = 0; iteration < iterations; iteration++)
		add_transposed(n, A, B);
	report_time("transpose", common_clock() - started);
	status = check(n, iterations, B);
	free(A);
	free(B);
	return status;
}
