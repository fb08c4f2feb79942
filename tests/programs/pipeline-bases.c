/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pipeline-bases.c - flags and values that another thread has set back since: who writes what it
 * wrote before has to hand it on all the same.
 */
#include <stdio.h>

enum { MOST = 31, COLUMNS = 4, ROUNDS = 5 };

static int flag[MOST + 2];
static long row[MOST + 2][COLUMNS], sum[MOST + 2];

static void one(int n)
{
#pragma omp parallel
	{
#pragma omp for schedule(static)
		for (int i = 0; i < n + 2; i++)
			flag[n + 1 - i] = 0;
#pragma omp for schedule(static)
		for (int i = 0; i < n + 2; i++)
			for (int j = 0; j < COLUMNS; j++)
				row[n + 1 - i][j] = 0;
#pragma omp barrier
#pragma omp for nowait schedule(static)
		for (int i = 1; i <= n; i++) {
			while (i > 1 && flag[i - 1] < 1) {
#pragma omp flush
			}
#pragma omp flush
			sum[i] = 0;
			for (int j = 0; j < COLUMNS; j++) {
				row[i][j] = i + j;
				sum[i] += row[i - 1][j];
			}
#pragma omp flush
			flag[i] = 1;
#pragma omp flush
		}
	}
}

static void one_back(int n)
{
#pragma omp parallel
	{
#pragma omp for schedule(static)
		for (int i = 0; i < n + 2; i++)
			flag[i] = 0;
#pragma omp barrier
#pragma omp for nowait schedule(static)
		for (int i = n; i >= 1; i--) {
			while (i < n && flag[i + 1] < 1) {
#pragma omp flush
			}
#pragma omp flush
			sum[i] += sum[i + 1];
#pragma omp flush
			flag[i] = 1;
#pragma omp flush
		}
	}
}

int main(void)
{
	for (int n = 1; n <= MOST; n += n < 6 ? 1 : 5)
		for (int round = 0; round < ROUNDS; round++) {
			long all = 0;

			one(n);
			one(n);
			one_back(n);
			one_back(n);
			for (int i = 1; i <= n; i++)
				all += sum[i] * i;
			printf("%d: %ld\n", n, all);
		}
	return 0;
}
