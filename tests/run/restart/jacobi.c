// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * jacobi.c - Jacobi iterations, with a line after each: two arrays in the heap, one static; regions
 * in a function that has variables of its own, some of them on the stack of its callers.
 *
 * Usage: jacobi STEPS [MICROSECONDS [SETS]] (pause.h)
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "pause.h"

#define SIZE 192

static double edge[SIZE];

struct grid {
	double *now, *next;
};

static long step(struct grid *grid, long *changed)
{
	long local = 0;

#pragma omp parallel for reduction(+ : local)
	for (int i = 1; i < SIZE - 1; i++)
		for (int j = 1; j < SIZE - 1; j++) {
			const double *at = &grid->now[i * SIZE + j];

			grid->next[i * SIZE + j] = (at[-SIZE] + at[-1] + at[1] + at[SIZE]) / 4;
			local += grid->next[i * SIZE + j] != *at;
		}
	double *was = grid->now;

	grid->now = grid->next;
	grid->next = was;
	*changed += local;
	return local;
}

int main(int argc, char **argv)
{
	int steps = argc > 1 ? atoi(argv[1]) : 10;
	struct grid grid = {calloc(SIZE * SIZE, sizeof(double)),
			    calloc(SIZE * SIZE, sizeof(double))};
	long changed = 0;

	for (int i = 0; i < SIZE; i++)
		edge[i] = 1.0 + i % 7;
	for (int i = 0; i < SIZE; i++)
		grid.now[i] = grid.next[i] = edge[i];
	for (int s = 0; s < steps; s++) {
		long local = step(&grid, &changed);
		double sum = 0;

		for (int i = 0; i < SIZE * SIZE; i++)
			sum += grid.now[i];
		printf("step %d: %ld %ld %.17g\n", s, local, changed, sum);
		fflush(stdout);
		pause_at(s, argv + 2);
	}
	free(grid.now);
	free(grid.next);
	return 0;
}
