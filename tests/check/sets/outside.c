/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Loops that each node runs in regions, and all of them alike where there is no team. */
#include <stdio.h>

#define SIZE 4000

static int a[SIZE], b[SIZE], c[SIZE];

int main(void)
{
	for (int i = 0; i < SIZE; i++)
		b[i] = i;
	for (int round = 0; round < 3; round++) {
#pragma omp parallel for
		for (int i = 0; i < SIZE; i += 2) {
			c[i] = b[i] + round;
			a[i] = b[SIZE - 1 - i];
		}
#pragma omp parallel if (round < 0)
#pragma omp for
		for (int i = 0; i < SIZE; i += 2) {
			c[i] += b[i];
			a[i] += b[SIZE - 1 - i];
		}
	}
	printf("%d %d\n", a[30], c[30]);
	return 0;
}
