/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * planned.c - loops of which all is known, with pages that several threads write to, pages that
 * change hands, rows in turns, and sequential code in between.
 */
#include <stdio.h>
#include <stdlib.h>

#define N 150 /* a row is no whole number of pages */

static double from[N][N], to[N][N];
static int limits[3] = {0, N, 1};

static double sum(double (*array)[N])
{
	double all = 0;

	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++)
			all += array[i][j] * (i % 7 + j % 5);
	return all;
}

static void rows_and_columns(void)
{
#pragma omp parallel for
	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++)
			from[i][j] = i * 3 % 11 + j;
#pragma omp parallel for
	for (int j = 0; j < N; j++)
		for (int i = 0; i < N; i++)
			to[i][j] = from[i][j] + j;
#pragma omp parallel for
	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++)
			from[i][j] += to[j][i];
	printf("%.1f %.1f\n", sum(from), sum(to));
}

static void in_turns(double (*a)[N], int n)
{
#pragma omp parallel
	for (int k = 0; k < n - 1; k++) {
#pragma omp for schedule(static, 1)
		for (int i = 0; i < n; i++)
			if (i > k)
				for (int j = k; j < n; j++)
					a[i][j] -= a[k][j] / (k + i + 1);
	}
}

static void by_limits(double *line)
{
	for (int round = 0; round < 3; round++) {
#pragma omp parallel for
		for (int i = limits[0]; i < limits[1]; i += limits[2])
			line[i] = i + round * line[i];
		/* What decides on the loop changes, and a part of what it wrote. */
		limits[0] += 3;
		limits[2]++;
		line[round] = 100;
	}
	for (int i = 0; i < N; i += 31)
		printf("%.0f ", line[i]);
	printf("\n");
}

static void by_two(void)
{
	for (int round = 0; round < 4; round++) {
#pragma omp parallel for collapse(2)
		for (int i = 1; i < N - 1; i++)
			for (int j = 1; j < N - 1; j++)
				to[i][j] = from[i - 1][j] + from[i + 1][j] - from[i][j - 1];
#pragma omp parallel for num_threads(2)
		for (int i = 1; i < N - 1; i++)
			for (int j = 1; j < N - 1; j++)
				from[i][j] = to[i][j] / 2;
	}
	printf("%.3f\n", sum(from));
}

int main(void)
{
	double *line = calloc(N, sizeof(*line)), (*heap)[N] = calloc(N, sizeof(*heap));

	rows_and_columns();
	in_turns(from, N);
	printf("%.3f\n", sum(from));
	by_limits(line);
#pragma omp parallel for
	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++)
			heap[i][j] = from[j][i] + line[i];
	in_turns(heap, N);
	printf("%.3f\n", sum(heap));
	by_two();
	free(line);
	free(heap);
	return 0;
}
