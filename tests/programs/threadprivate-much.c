/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * threadprivate-much.c - threadprivate variables in much static storage of which little is written,
 * in a region with many sync points, and in many regions.
 */
#include <omp.h>
#include <stdio.h>

#define MUCH  (1 << 21)
#define STEPS 60

static int much[MUCH];
static int mine[100 * STEPS];
#pragma omp threadprivate(mine)

/* The master's values are sequential code's behind a region, on every node. */
static int wrong(int factor)
{
	int count = 0;

	for (int step = 0; step < STEPS; step++)
		count += mine[100 * step] != factor * (step + 1);
	return count;
}

static void change(int step)
{
	mine[100 * step] += step + 1;
	much[(omp_get_thread_num() * 31 + step) * 640 % MUCH]++;
}

int main(void)
{
	int differ;
	long sum = 0;

	for (int i = 0; i < MUCH; i++)
		much[i] = i;
#pragma omp parallel
	for (int step = 0; step < STEPS; step++) {
		change(step);
#pragma omp barrier
	}
	differ = wrong(1);
	for (int step = 0; step < STEPS; step++) {
#pragma omp parallel
		{
			change(step);
#pragma omp barrier
			much[omp_get_thread_num() * 64 + 7]++;
		}
	}
	differ += wrong(2);
#pragma omp parallel copyin(mine) reduction(+ : differ)
	differ += wrong(2);
	for (int i = 0; i < MUCH; i++)
		sum = sum * 31 + much[i];
	printf("%d %ld\n", differ, sum);
	return differ != 0;
}
