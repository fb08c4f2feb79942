/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pipeline-strips.c - strips by the thread's number, handed on row by row: by flags that are
 * atomic, by a hand that is given to and fro, which both write and read; and what a thread reads
 * that is not what its neighbours wrote last.
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 40, COLUMNS = 700, ROUNDS = 3, THREADS = 64 };

struct grid {
	int rows, columns;
	long *points;
};

static int ended[THREADS][16];
static int hand[THREADS][16];
static long boxes[THREADS][64];
static long taken[THREADS];

static long *point(const struct grid *grid, int i, int j)
{
	return &grid->points[i * grid->columns + j];
}

static int strip(const struct grid *grid, int thread)
{
	return 1 + (int)((long)thread * (grid->columns - 1) / omp_get_num_threads());
}

static void await(int *flag, int value)
{
	int seen;

	do {
#pragma omp atomic read
		seen = *flag;
	} while (seen < value);
#pragma omp flush
}

static void announce(int *flag, int value)
{
#pragma omp flush
#pragma omp atomic write
	*flag = value;
}

static void waves(const struct grid *grid, int round)
{
#pragma omp parallel
	{
		int me = omp_get_thread_num(), team = omp_get_num_threads();
		int first = strip(grid, me), end = strip(grid, me + 1);

		ended[me][0] = 0;
#pragma omp barrier
		for (int i = 1; i < grid->rows; i++) {
			if (me > 0)
				await(&ended[me - 1][0], i);
			for (int j = first; j < end; j++)
				*point(grid, i, j) = *point(grid, i - 1, j) +
						     *point(grid, i, j - 1) -
						     *point(grid, i - 1, j - 1) + round;
			if (me + 1 < team)
				announce(&ended[me][0], i);
		}
	}
}

/* The left one puts something into its box, the right one takes it and gives the hand back. */
static void hands(int rounds)
{
#pragma omp parallel
	{
		int me = omp_get_thread_num(), team = omp_get_num_threads();

		hand[me][0] = 0;
		taken[me] = 0;
#pragma omp barrier
		for (int k = 0; k < rounds; k++) {
			if (me + 1 < team) {
				for (int i = 0; i < 64; i++)
					boxes[me][i] = boxes[me][i] * 3 + k + i;
#pragma omp flush
				hand[me][0] = 1;
#pragma omp flush
			}
			if (me > 0) {
				while (hand[me - 1][0] != 1) {
#pragma omp flush
				}
#pragma omp flush
				for (int i = 0; i < 64; i++)
					taken[me] += boxes[me - 1][i] % 1000;
#pragma omp flush
				hand[me - 1][0] = 0;
#pragma omp flush
			}
			if (me + 1 < team) {
				while (hand[me][0] != 0) {
#pragma omp flush
				}
#pragma omp flush
			}
		}
	}
}

int main(void)
{
	struct grid grid = {ROWS, COLUMNS, calloc(ROWS * COLUMNS, sizeof(long))};
	long sum = 0, all = 0;

	for (int i = 0; i < ROWS; i++)
		*point(&grid, i, 0) = i;
	for (int j = 0; j < COLUMNS; j++)
		*point(&grid, 0, j) = j;
	for (int round = 0; round < ROUNDS; round++) {
		waves(&grid, round);
		*point(&grid, 0, 0) = -*point(&grid, ROWS - 1, COLUMNS - 1);
	}
	hands(25);
	for (int i = 0; i < ROWS * COLUMNS; i++)
		sum = sum * 31 + grid.points[i];
	for (int i = 1; i < THREADS; i++)
		all += taken[i] != 0 && taken[i] != taken[1];
	free(grid.points);
	printf("%lx %ld\n", (unsigned long)sum, all);
	return 0;
}
