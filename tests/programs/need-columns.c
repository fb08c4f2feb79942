// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * need-columns.c - matrices whose rows the nodes wrote, read by columns: from the left and from the
 * right, from above and from below, in blocks, two in turns, in every third row, and while the
 * columns are written.
 */
#include <stdio.h>
#include <stdlib.h>

#define N     384
#define WIDTH 1536 /* three pages of doubles */

static double A[N][WIDTH], *B;

static double *b(int i, int j)
{
	return &B[(size_t)i * WIDTH + (size_t)j];
}

static void fill(int round)
{
#pragma omp parallel for
	for (int i = 0; i < N; i++)
		for (int j = 0; j < WIDTH; j++) {
			A[i][j] = i * 3 + j * 7 + round;
			*b(i, j) = i * 5 - j + round;
		}
}

/* Rows and columns, in the order that STEP says. */
static double by_columns(int step_i, int step_j)
{
	double sum = 0;

#pragma omp parallel for reduction(+ : sum)
	for (int k = 0; k < WIDTH; k++) {
		int j = step_j > 0 ? k : WIDTH - 1 - k;

		for (int i = step_i > 0 ? 0 : N - 1; i >= 0 && i < N; i += step_i)
			sum += A[i][j] * (k % 3 + 1) - *b(i, j) * (i % 5);
	}
	return sum;
}

static double by_blocks(int block)
{
	double sum = 0;

#pragma omp parallel for reduction(+ : sum)
	for (int left = 0; left < WIDTH; left += block)
		for (int top = 0; top < N; top += block)
			for (int i = top; i < top + block; i++)
				for (int j = left; j < left + block; j++)
					sum += A[i][j] * (i % 7) + *b(i, j) * (j % 3);
	return sum;
}

static void write_columns(void)
{
#pragma omp parallel for
	for (int j = 0; j < WIDTH; j++)
		for (int i = 0; i < N; i++)
			A[i][j] += *b(N - 1 - i, WIDTH - 1 - j);
}

int main(void)
{
	B = malloc(sizeof(double) * N * WIDTH);
	for (int round = 0; round < 3; round++) {
		fill(round);
		printf("%.0f %.0f\n", by_columns(1, 1), by_columns(1, -1));
		fill(round + 10);
		printf("%.0f %.0f\n", by_columns(-1, 1), by_columns(3, 1));
		fill(round + 20);
		printf("%.0f %.0f\n", by_blocks(32), by_blocks(96));
		write_columns();
		printf("%.0f\n", by_columns(-3, -1));
	}
	free(B);
	return 0;
}
