/* SPDX-License-Identifier: GPL-2.0-or-later */
/* no-region.c - a program without any OpenMP, and with constructs outside of any region. */
#include <stdio.h>

int main(void)
{
	int sum = 0;

#pragma omp for
	for (int i = 0; i < 10; i++)
		sum += i;
#pragma omp single
	sum += 100;
#pragma omp master
	sum += 1000;
#pragma omp barrier
#pragma omp sections
	{
#pragma omp section
		sum += 10000;
#pragma omp section
		sum += 100000;
	}
	printf("%d\n", sum);
	return 3;
}
