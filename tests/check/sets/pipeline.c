/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pipeline.c - loops in which threads hand data on by flags, volatile ones and others, and what
 * each thread accesses there.
 */
#include <omp.h>
#include <stdio.h>

enum { ROWS = 30, COLUMNS = 50, LAYERS = 6, THREADS = 64 };

static long grid[ROWS][COLUMNS][LAYERS];
static volatile int ended[THREADS];
static int flag[ROWS];

static void row(int i, int k)
{
	for (int j = 0; j < COLUMNS; j++)
		grid[i][j][k] += 2 * grid[i - 1][j][k] + j;
}

static void strips(void)
{
#pragma omp parallel
	{
		int me = omp_get_thread_num(), team = omp_get_num_threads();
		int first = 1 + me * (ROWS - 1) / team, end = 1 + (me + 1) * (ROWS - 1) / team;

		for (int k = 0; k < LAYERS; k++) {
			if (me > 0)
				while (ended[me - 1] <= k) {
#pragma omp flush
				}
#pragma omp flush
			for (int i = first; i < end; i++)
				row(i, k);
#pragma omp flush
			ended[me] = k + 1;
#pragma omp flush
		}
	}
}

static void shared_out(int k)
{
#pragma omp for nowait
	for (int i = 1; i < ROWS; i++) {
		while (i > 1 && flag[i - 1] <= k) {
#pragma omp flush
		}
#pragma omp flush
		row(i, k);
#pragma omp flush
		flag[i] = k + 1;
#pragma omp flush
	}
}

static void rows(void)
{
#pragma omp parallel
	{
		for (int k = 0; k < LAYERS; k++)
			shared_out(k);
	}
}

int main(void)
{
	unsigned long sum = 0;

	for (int j = 0; j < COLUMNS; j++)
		grid[0][j][1] = j;
	strips();
	rows();
	for (int i = 0; i < ROWS; i++)
		for (int j = 0; j < COLUMNS; j++)
			for (int k = 0; k < LAYERS; k++)
				sum = sum * 31 + (unsigned long)grid[i][j][k];
	printf("%lx\n", sum);
	return 0;
}
