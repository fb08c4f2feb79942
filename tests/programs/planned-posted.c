/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Small arrays that known loops write one after another, without that nodes meet, and something
 * unknown after the last one: what a node has posted of the loop before is not what that left.
 */
#include <stdio.h>

#define N     512
#define STEPS 4

static long row[N], total;

int main(void)
{
	for (int s = 0; s < STEPS; s++) {
#pragma omp parallel
		{
#pragma omp for
			for (int i = 0; i < N; i++)
				row[i] += i + s;
#pragma omp for
			for (int i = 0; i < N; i++)
				row[i] = 2 * row[i] + 1;
#pragma omp sections
			{
#pragma omp section
				total += row[N - 1];
#pragma omp section
				row[0]++;
			}
		}
	}
	for (int i = 0; i < N; i += 7)
		printf("%ld\n", row[i]);
	printf("%ld\n", total);
	return 0;
}
