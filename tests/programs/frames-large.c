/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Frames and callees' frames of megabytes: what private arrays leave in stack slots is not what
 * shared arrays begin with that lie there later.
 */
#include <omp.h>
#include <stdio.h>

#define LARGE 270000 /* just above 1 MiB of numbers */
#define N     1000

static void fill(int *p, int n, int value)
{
	for (int i = 0; i < n; i++)
		p[i] = value;
}

static __attribute__((noinline)) int deep(int value)
{
	int own[3 * LARGE];

	fill(own, 3 * LARGE, value);
	return own[value];
}

/* The first half of an array that begins with whatever was there is written, all of it is read. */
static __attribute__((noinline)) int shared_below(void)
{
	int sum = 0, array[LARGE];

#pragma omp parallel for
	for (int i = 0; i < N; i++)
		array[i] = i % 2;
#pragma omp parallel for reduction(+ : sum)
	for (int i = 0; i < N; i++)
		sum += array[N - 1 - i];
	return sum;
}

int main(void)
{
	int sum = 0, last = -1, whole[LARGE];

	fill(whole, LARGE, 1);
	for (int round = 0; round < 2; round++) {
		{
#pragma omp parallel reduction(+ : sum)
			{int own[LARGE];

		fill(own, LARGE, omp_get_thread_num());
		sum += deep(omp_get_thread_num()) - own[5];
	}
}
{
	int shared[LARGE];

#pragma omp parallel for lastprivate(last)
	for (int i = 0; i < N; i++) {
		shared[i] = 0;
		last = i;
	}
#pragma omp parallel for reduction(+ : sum)
	for (int i = 0; i < N; i++)
		sum += shared[N - 1 - i];
}
sum += shared_below();
}
printf("%d %d %d\n", sum, last, whole[7]);
return 0;
}
