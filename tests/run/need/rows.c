/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rows.c - rows of a page and a half, dealt out in turn: two nodes write to every second page, and
 * nobody else uses it.
 */
#include <stdio.h>
#include <stdlib.h>

#define ROWS   120
#define WIDTH  768 /* doubles */
#define ROUNDS 20

int main(void)
{
	double(*A)[WIDTH] = aligned_alloc(4096, sizeof(double[ROWS][WIDTH]));
	long sum = 0;

	for (int round = 0; round < ROUNDS; round++) {
#pragma omp parallel for schedule(static, 1)
		for (int i = 0; i < ROWS; i++)
			for (int j = 0; j < WIDTH; j++)
				A[i][j] = round ? A[i][j] * 1.25 + i + j : i - j;
	}
#pragma omp parallel for schedule(static, 1) reduction(+ : sum)
	for (int i = 0; i < ROWS; i++)
		for (int j = 0; j < WIDTH; j++)
			sum += (long)A[i][j];
	printf("%ld\n", sum);
	free(A);
	return 0;
}
