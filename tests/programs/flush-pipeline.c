/* SPDX-License-Identifier: GPL-2.0-or-later */
/* flush-pipeline.c - a wavefront: each thread waits for its left neighbour's row by row, by flush. */
#include <omp.h>
#include <sched.h>
#include <stdio.h>

#define ROWS	20
#define COLUMNS 64
#define SWEEPS	2

static int progress[64], backwards[64];
static long grid[ROWS][COLUMNS], reference[ROWS][COLUMNS];

static long cell(long left, long above, long old)
{
	return (left * 3 + above * 5 + old + 7) % 10007;
}

static long at(long table[ROWS][COLUMNS], int row, int column)
{
	return row < 0 || row >= ROWS || column < 0 || column >= COLUMNS ? 1 : table[row][column];
}

static void sequential(void)
{
	for (int sweep = 0; sweep < SWEEPS; sweep++) {
		for (int row = 0; row < ROWS; row++)
			for (int k = 0; k < COLUMNS; k++)
				reference[row][k] = cell(at(reference, row, k - 1),
							 at(reference, row - 1, k),
							 reference[row][k]);
		for (int row = ROWS - 1; row >= 0; row--)
			for (int k = COLUMNS - 1; k >= 0; k--)
				reference[row][k] = cell(at(reference, row, k + 1),
							 at(reference, row + 1, k),
							 reference[row][k]);
	}
}

static void wait_until(const int *counter, int value)
{
	for (;;) {
		int seen;

#pragma omp flush
		seen = *counter;
		if (seen >= value)
			return;
		sched_yield();
	}
}

int main(void)
{
	int wrong = 0;

	sequential();
#pragma omp parallel
	{
		int me = omp_get_thread_num(), threads = omp_get_num_threads();
		int first = COLUMNS * me / threads, end = COLUMNS * (me + 1) / threads;

		for (int sweep = 0; sweep < SWEEPS; sweep++) {
			for (int row = 0; row < ROWS; row++) {
				if (me > 0)
					wait_until(&progress[me - 1], sweep * ROWS + row + 1);
				for (int k = first; k < end; k++)
					grid[row][k] = cell(at(grid, row, k - 1),
							    at(grid, row - 1, k), grid[row][k]);
#pragma omp flush
				progress[me]++;
#pragma omp flush
			}
#pragma omp barrier
			for (int row = ROWS - 1; row >= 0; row--) {
				if (me < threads - 1)
					wait_until(&backwards[me + 1], sweep * ROWS + ROWS - row);
				for (int k = end - 1; k >= first; k--)
					grid[row][k] = cell(at(grid, row, k + 1),
							    at(grid, row + 1, k), grid[row][k]);
#pragma omp flush
				backwards[me]++;
#pragma omp flush
			}
#pragma omp barrier
		}
	}
	for (int row = 0; row < ROWS; row++)
		for (int k = 0; k < COLUMNS; k++)
			wrong += grid[row][k] != reference[row][k];
	printf("%d wrong, %ld %ld\n", wrong, grid[0][0], grid[ROWS / 2][COLUMNS / 2]);
	return 0;
}
