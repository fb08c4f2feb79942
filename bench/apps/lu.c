/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lu.c - LU: factors a dense matrix, right-looking; every row stays with one thread, in turn.
 *
 * Usage: lu [rows]
 */
#include "../omp/wtime.h"
#include "lu.h"

static void fill(int n, double A[n][n])
{
#pragma omp parallel for schedule(static, 1)
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++)
			A[i][j] = lu_start(n, i, j);
}

static void factor(int n, double A[n][n])
{
#pragma omp parallel
	for (int k = 0; k < n - 1; k++) {
#pragma omp for schedule(static, 1)
		for (int i = 0; i < n; i++)
			if (i > k)
				lu_eliminate(n, k, A[k], A[i]);
	}
}

static int check(int n, double A[n][n])
{
	double *upper = allocate((size_t)n, sizeof(*upper));
	unsigned long sum = 0;
	int good = 1;

#pragma omp parallel
	{
#pragma omp for schedule(static, 1)
		for (int i = 0; i < n; i++)
			upper[i] = lu_upper(n, i, A[i]);
#pragma omp for schedule(static, 1) reduction(+ : sum) reduction(&& : good)
		for (int i = 0; i < n; i++) {
			sum += lu_fingerprint(n, i, A[i]);
			good = good && lu_is_right(n, i, A[i], upper);
		}
	}
	free(upper);
	return lu_finish(n, sum, good);
}

int main(int argc, char **argv)
{
	int n = argument(argc, argv, 1, LU_SIZE, 1, LU_MOST);
	double(*A)[n] = allocate((size_t)n * (size_t)n, sizeof(double));
	double entered = common_clock(), started;
	int status;

	fill(n, A);
	started = common_clock();
	report_part("lu", "init", started - entered);
	factor(n, A);
	report_time("lu", common_clock() - started);
	status = check(n, A);
	free(A);
	return status;
}
