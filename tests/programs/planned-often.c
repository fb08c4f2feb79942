/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * planned-often.c - rows that are written again and again: all nodes have to count alike how much a
 * loop writes, though each describes what it reads itself beside.
 */
#include <stdio.h>
#include <stdlib.h>

#define ROWS  1000
#define TIMES 80000
#define SETS  7
#define WIDTH 64
#define COUNT 6

static double *to[SETS][ROWS], *from[SETS][ROWS];

static void work(long count)
{
#pragma omp parallel for schedule(static, 2)
	for (long i = 0; i < count; i++)
		for (long k = 0; k < TIMES; k++) {
			to[0][k % ROWS][i] += from[0][k % ROWS][i];
			to[1][k % ROWS][i] += from[1][k % ROWS][i];
			to[2][k % ROWS][i] += from[2][k % ROWS][i];
			to[3][k % ROWS][i] += from[3][k % ROWS][i];
			to[4][k % ROWS][i] += from[4][k % ROWS][i];
			to[5][k % ROWS][i] += from[5][k % ROWS][i];
			to[6][k % ROWS][i] += from[6][k % ROWS][i];
		}
}

int main(void)
{
	double sum = 0;

	for (int j = 0; j < SETS; j++)
		for (int i = 0; i < ROWS; i++) {
			to[j][i] = calloc(WIDTH, sizeof(double));
			from[j][i] = calloc(WIDTH, sizeof(double));
			if (!to[j][i] || !from[j][i])
				return 1;
			for (int k = 0; k < WIDTH; k++)
				from[j][i][k] = j + k;
		}
	work(COUNT);
	for (int j = 0; j < SETS; j++)
		for (int i = 0; i < ROWS; i++)
			sum += to[j][i][0] + to[j][i][3];
	printf("%g\n", sum);
	return 0;
}
