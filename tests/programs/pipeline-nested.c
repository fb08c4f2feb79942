// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pipeline-nested.c - two sweeps through planes, as in a solver: their loops have bounds of static
 * variables, one in the other, and each row waits for a flag of the row before it.  Elsewhere in
 * the file there is a critical construct.
 */
#include <stdio.h>

enum { SIZE = 40, ROUNDS = 4 };

static double x[SIZE][SIZE][SIZE], lower[SIZE][SIZE];
static int flag[SIZE];
static int first = 1, last = SIZE - 2, left = 1, right = SIZE - 2, planes = SIZE;

static void prepare(int k)
{
#pragma omp for nowait schedule(static)
	for (int i = first; i <= last; i++)
		for (int j = left; j <= right; j++)
			lower[i][j] = 1.0 / (i + j + k) + x[i][j][k] / 1000;
}

static void down(int k)
{
#pragma omp for nowait schedule(static)
	for (int i = first; i <= last; i++)
		for (int j = left; j <= right; j++)
			x[i][j][k] -= lower[i][j] * x[i][j][k - 1];
#pragma omp for nowait schedule(static)
	for (int i = first; i <= last; i++) {
		if (i != first) {
			while (flag[i - 1] == 0) {
#pragma omp flush(flag)
			}
		}
		if (i != last) {
			while (flag[i] == 1) {
#pragma omp flush(flag)
			}
		}
		for (int j = left; j <= right; j++)
			x[i][j][k] = (x[i - 1][j][k] + x[i][j - 1][k] + x[i][j][k]) / 3 + 1;
		if (i != first)
			flag[i - 1] = 0;
		if (i != last)
			flag[i] = 1;
#pragma omp flush(flag)
	}
}

static double sum_of(void)
{
	double sum = 0;

#pragma omp parallel
	{
		double own = 0;

#pragma omp for nowait
		for (int i = 0; i < SIZE; i++)
			for (int j = 0; j < SIZE; j++)
				for (int k = 0; k < SIZE; k++)
					own += (int)(x[i][j][k] * 100);
#pragma omp critical
		sum += own;
	}
	return sum;
}

int main(void)
{
	for (int i = 0; i < SIZE; i++)
		for (int j = 0; j < SIZE; j++)
			for (int k = 0; k < SIZE; k++)
				x[i][j][k] = (i * 7 + j * 3 + k) % 11;
	for (int round = 0; round < ROUNDS; round++) {
#pragma omp parallel
		{
			for (int k = 1; k <= planes - 2; k++) {
				prepare(k);
				down(k);
			}
#pragma omp barrier
#pragma omp for
			for (int i = first; i <= last; i++)
				for (int j = left; j <= right; j++)
					x[i][j][0] = x[j][i][planes - 2] - flag[i];
		}
		printf("%.0f\n", sum_of());
	}
	return 0;
}
