/* SPDX-License-Identifier: GPL-2.0-or-later */
/* taskloop-combined.c - taskloop in one directive with master, masked and parallel. */
#include <omp.h>
#include <stdio.h>

int main(void)
{
	int a[40], i, last = -1, sum = 0, base = 3;
#pragma omp parallel master taskloop lastprivate(i, last) firstprivate(base) grainsize(4)
	for (i = 0; i < 40; i++) {
		a[i] = base + i;
		last = i;
	}
	printf("%d %d %d\n", i, last, omp_get_level());
#pragma omp parallel masked taskloop simd filter(0) reduction(+ : sum) default(none) shared(a)
	for (i = 0; i < 40; i++)
		sum += a[i];
	printf("%d\n", sum);
#pragma omp parallel
	{
#pragma omp master taskloop collapse(2) if (base > 1)
		for (int j = 0; j < 4; j++)
			for (int k = 0; k < 10; k++)
				a[j * 10 + k] *= 2;
#pragma omp barrier
#pragma omp masked taskloop reduction(+ : sum)
		for (int j = 0; j < 40; j++)
			sum -= a[j];
	}
	printf("%d\n", sum);
}
