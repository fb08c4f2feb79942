// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sweeps.c - loops that count up and down in turns, over the same elements.
 */
#include <stdio.h>

#define COUNT  400000
#define ROUNDS 20

static double a[COUNT], b[COUNT];

int main(void)
{
	double sum = 0;

	for (int round = 0; round < ROUNDS; round++) {
#pragma omp parallel for
		for (int i = 0; i < COUNT; i++)
			b[i] = a[i] * 0.5 + i % 5;
#pragma omp parallel for
		for (int i = COUNT - 1; i >= 0; i--)
			a[i] = b[i] * 0.5 + i % 3;
	}
	for (int i = 0; i < COUNT; i++)
		sum += a[i];
	printf("%g\n", sum);
	return 0;
}
