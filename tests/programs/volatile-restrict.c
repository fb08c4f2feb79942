/* SPDX-License-Identifier: GPL-2.0-or-later */
/* volatile-restrict.c - qualifiers: const, volatile, restrict, register, pointers to them. */
#include <stdio.h>

static volatile int ticks;
static const volatile double *watched;

static void scale(double *restrict target, const double *restrict source, const int n)
{
	register int factor = 3;
	const int *const limit = &n;

#pragma omp parallel for
	for (int i = 0; i < *limit; i++)
		target[i] = source[i] * factor;
}

int main(void)
{
	volatile long sum = 0;
	const char *const names[2] = {"even", "odd"};
	const char *volatile chosen = NULL;
	double source[25], target[25];
	int tail[5] = {0}, *const fixed = &tail[2];

	for (int i = 0; i < 25; i++)
		source[i] = i / 4.0;
	scale(target, source, 25);
	watched = &target[24];
#pragma omp parallel
	{
#pragma omp single
		{
			ticks = 5;
			ticks++;
			*fixed = ticks * 2;
			target[24] += 1;
		}
#pragma omp for
		for (int i = 0; i < 5; i++)
			if (&tail[i] != fixed)
				tail[i] = (int)*watched + ticks;
#pragma omp single
		chosen = names[ticks % 2];
	}
#pragma omp parallel for reduction(+ : sum)
	for (int i = 0; i < 25; i++)
		sum += (long)(target[i] * 4);
	printf("%ld %d %s %.2f\n", sum, ticks, chosen, *watched);
	for (int i = 0; i < 5; i++)
		printf("%d ", tail[i]);
	putchar('\n');
	return 0;
}
