/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * p2p.c - P2P: waves over a grid; each thread has a strip of columns, and begins a row when its
 * neighbour on the left has ended it.
 *
 * Usage: p2p [rows [columns [iterations]]]
 */
#include "../omp/wtime.h"
#include "p2p.h"

/* The rows that a thread has ended, in a cache line of its own. */
struct ended {
	int row;
	char rest[60];
};

struct grid {
	int rows, columns;
	double *points; /* row by row */
	struct ended *ended;
};

static double *point(const struct grid *grid, int i, int j)
{
	return &grid->points[(size_t)i * (size_t)grid->columns + (size_t)j];
}

/* The first column of THREAD's strip of those that FIRST begins; that of the next one ends it. */
static int strip(const struct grid *grid, int first, int thread)
{
	return first + (int)((long)thread * (grid->columns - first) / omp_get_num_threads());
}

static void fill(struct grid *grid)
{
#pragma omp parallel
	{
		int me = omp_get_thread_num(), end = strip(grid, 0, me + 1);

		for (int i = 0; i < grid->rows; i++)
			for (int j = strip(grid, 0, me); j < end; j++)
				*point(grid, i, j) = p2p_start(i, j);
	}
}

static void wait_for_row(const struct ended *neighbour, int row)
{
	int ended;

	do {
#pragma omp atomic read
		ended = neighbour->row;
	} while (ended < row);
#pragma omp flush
}

static void tell_row(struct ended *own, int row)
{
#pragma omp flush
#pragma omp atomic write
	own->row = row;
}

/* The strip's part of one row. */
static void sweep_row(const struct grid *grid, int i, int first, int end)
{
	for (int j = first; j < end; j++)
		*point(grid, i, j) = *point(grid, i - 1, j) + *point(grid, i, j - 1) -
				     *point(grid, i - 1, j - 1);
}

static void iterate(struct grid *grid)
{
#pragma omp parallel
	{
		int me = omp_get_thread_num(), team = omp_get_num_threads();
		int first = strip(grid, 1, me), end = strip(grid, 1, me + 1);

		grid->ended[me].row = 0;
#pragma omp barrier
		for (int i = 1; i < grid->rows; i++) {
			if (me > 0)
				wait_for_row(&grid->ended[me - 1], i);
			sweep_row(grid, i, first, end);
			if (me + 1 < team)
				tell_row(&grid->ended[me], i);
		}
	}
	*point(grid, 0, 0) = -*point(grid, grid->rows - 1, grid->columns - 1);
}

static int check(const struct grid *grid, int iterations)
{
	int rows = grid->rows, columns = grid->columns, good = 1;
	unsigned long sum = 0;

#pragma omp parallel for reduction(+ : sum) reduction(&& : good)
	for (int i = 0; i < rows; i++)
		for (int j = 0; j < columns; j++) {
			double value = *point(grid, i, j);

			sum += fingerprint(value, (size_t)i * (size_t)columns + (size_t)j);
			good = good && value == p2p_result(rows, columns, iterations, i, j);
		}
	p2p_print(rows, columns, iterations, sum);
	return verdict("p2p", good);
}

int main(int argc, char **argv)
{
	int rows = argument(argc, argv, 1, P2P_SIZE, 2, P2P_MOST);
	int columns = argument(argc, argv, 2, rows, 2, P2P_MOST);
	int iterations = argument(argc, argv, 3, P2P_ITERATIONS, 0, 1000000);
	struct grid grid = {rows, columns, allocate((size_t)rows * (size_t)columns, sizeof(double)),
			    allocate((size_t)omp_get_max_threads(), sizeof(struct ended))};
	double entered = common_clock(), started;
	int status;

	fill(&grid);
	started = common_clock();
	report_part("p2p", "init", started - entered);
	for (int iteration = 0; iteration < iterations; iteration++)
		iterate(&grid);
	report_time("p2p", common_clock() - started);
	status = check(&grid, iterations);
	free(grid.points);
	free(grid.ended);
	return status;
}
