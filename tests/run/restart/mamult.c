// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * mamult.c - powers of a matrix of integers: its product with the last one in each step, in three
 * arrays of the heap that change places.
 *
 * Usage: mamult STEPS [MICROSECONDS [SETS]] (pause.h)
 */
#include <stdio.h>
#include <stdlib.h>
#include "pause.h"

#define SIZE 96

static void multiply(unsigned (*a)[SIZE], unsigned (*b)[SIZE], unsigned (*c)[SIZE])
{
#pragma omp parallel for schedule(dynamic, 5)
	for (int i = 0; i < SIZE; i++)
		for (int j = 0; j < SIZE; j++) {
			c[i][j] = 0;
			for (int k = 0; k < SIZE; k++)
				c[i][j] += a[i][k] * b[k][j];
		}
}

int main(int argc, char **argv)
{
	int steps = argc > 1 ? atoi(argv[1]) : 10;
	unsigned(*matrix)[SIZE] = malloc(sizeof(unsigned[SIZE][SIZE]));
	unsigned(*power)[SIZE] = malloc(sizeof(unsigned[SIZE][SIZE]));
	unsigned(*next)[SIZE] = malloc(sizeof(unsigned[SIZE][SIZE]));

#pragma omp parallel for
	for (int i = 0; i < SIZE; i++)
		for (int j = 0; j < SIZE; j++)
			matrix[i][j] = power[i][j] = (unsigned)((i * 7 + j * 13) % 17);
	for (int s = 0; s < steps; s++) {
		unsigned(*was)[SIZE] = power, hash = 2166136261U;

		multiply(matrix, power, next);
		power = next;
		next = was;
		for (int i = 0; i < SIZE; i++)
			for (int j = 0; j < SIZE; j++)
				hash = (hash ^ power[i][j]) * 16777619U;
		printf("step %d: %08x\n", s, hash);
		fflush(stdout);
		pause_at(s, argv + 2);
	}
	free(matrix);
	free(power);
	free(next);
	return 0;
}
