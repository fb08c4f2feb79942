// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * planned-prints.c - rows of which one after the other is read in part, while nodes change others
 * of the same pages; and sequential code that looks at memory in some rounds only.
 */
#include <stdio.h>

#define ROWS	40
#define COLUMNS 37
#define ROUNDS	12

static double u[ROWS][COLUMNS], v[ROWS][COLUMNS], line[COLUMNS];
static int last = COLUMNS - 1; /* the last column is never used */

static void sweep(void)
{
	int i, j, k;

#pragma omp parallel private(i, j, k)
	{
#pragma omp for
		for (i = 0; i < ROWS; i++)
			for (k = 0; k < last; k++)
				u[i][k] = u[i][k] / 2 + i * k;
		for (i = 0; i < ROWS; i++) {
#pragma omp for
			for (k = 0; k < last; k++) {
				line[k] = u[i][k] + k;
				v[i][k] = v[i][k] / 4 + u[i][k];
			}
#pragma omp for
			for (j = i + 1; j < ROWS; j++)
				u[j][i % 36] += line[(i + 1) % 36] + j;
		}
	}
}

static void scale(void)
{
	int i, k;

#pragma omp parallel for private(k)
	for (i = 0; i < ROWS; i++)
		for (k = 1; k < 36; k++)
			u[i][k] = u[i][k] - v[i][k] / 8;
}

int main(void)
{
	double sum = 0;

	for (int round = 0; round < ROUNDS; round++) {
		sweep();
		if (round % 4 == 1) {
			printf("round %d: %g\n", round, v[round][round] + u[ROWS - 1][round]);
			v[round][round + 1] += 1;
		}
		scale();
	}
	for (int i = 0; i < ROWS; i++)
		for (int k = 0; k < COLUMNS; k++)
			sum += u[i][k] + 2 * v[i][k];
	printf("%.17g\n", sum);
	return 0;
}
