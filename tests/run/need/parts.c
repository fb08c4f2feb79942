/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * parts.c - a vector whose parts, divided evenly, would end in the middle of a page.
 */
#include <stdio.h>
#include <stdlib.h>

#define SIZE   90000
#define ROUNDS 50

int main(void)
{
	double *x = calloc(SIZE, sizeof(*x)), sum = 0;

	for (int round = 0; round < ROUNDS; round++) {
#pragma omp parallel for
		for (int i = 0; i < SIZE; i++)
			x[i] = 1.25 * x[i] + i % 7 + round;
	}
#pragma omp parallel for reduction(+ : sum)
	for (int i = 0; i < SIZE; i++)
		sum += x[i];
	printf("%.17g\n", sum);
	free(x);
	return 0;
}
