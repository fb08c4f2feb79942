/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * planned-order.c - a loop that reads what it has written before has nothing to read, and all of it
 * where it reads first: what is described is the same, but for its order.
 */
#include <stdio.h>

#define N 512
#define M 512

static double sums[N], table[N][M];

static void work(int writes_first)
{
#pragma omp parallel for
	for (int i = 0; i < N; i++) {
		double sum = 0;

		if (writes_first) {
			for (int j = 0; j < M; j++)
				table[i][j] = i + j;
			for (int j = 0; j < M; j++)
				sum += table[i][M - 1 - j] * j;
			sums[i] = sum;
		} else {
			for (int j = 0; j < M; j++)
				sum += table[i][M - 1 - j] * j;
			for (int j = 0; j < M; j++)
				table[i][j] = i + j;
			sums[i] = sum;
		}
	}
}

int main(void)
{
	double all = 0;

	work(1);
#pragma omp parallel for
	for (int i = 0; i < N; i++)
		for (int j = 0; j < M; j++)
			table[N - 1 - i][j] = 3 * i;
	work(0);
	for (int i = 0; i < N; i++)
		all += sums[i] * (i % 7) + table[i][5];
	printf("%.17g\n", all);
	return 0;
}
