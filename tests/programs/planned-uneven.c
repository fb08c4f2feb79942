/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * planned-uneven.c - a loop outside of regions, shared out at first; the next time it reads, too,
 * what nobody knows before, and may be with another node.
 */
#include <stdio.h>

#define N 65536

static double value[N];

static void work(int reads, int by)
{
#pragma omp for
	for (int i = 0; i < N; i++) {
		value[i] = value[i] + 1;
		if (reads)
			value[i] += value[(unsigned short)(i * by)];
	}
}

int main(void)
{
	double sum = 0;

#pragma omp parallel for
	for (int i = 0; i < N; i++)
		value[i] = i % 100;
	work(0, 7);
	work(1, 7);
	for (int i = 0; i < N; i++)
		sum += value[i] * (i % 7);
	printf("%.17g\n", sum);
	return 0;
}
