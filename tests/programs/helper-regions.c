/* SPDX-License-Identifier: GPL-2.0-or-later */
/* helper-regions.c - regions in small functions, called from many places and stack depths. */
#include <stdio.h>

static inline int sum_of(const int *values, int n)
{
	int sum = 0;

#pragma omp parallel for reduction(+ : sum)
	for (int i = 0; i < n; i++)
		sum += values[i];
	return sum;
}

static inline void add_to(int *values, int n, int what)
{
#pragma omp parallel for
	for (int i = 0; i < n; i++)
		values[i] += what;
}

static int twice(int *values, int n)
{
	add_to(values, n, sum_of(values, n) % 7);
	return sum_of(values, n) + sum_of(values, n / 2);
}

static int deep(int depth, int *values, int n)
{
	volatile char filler[3000];

	filler[depth] = (char)depth;
	if (depth)
		return deep(depth - 1, values, n) + filler[depth];
	return twice(values, n);
}

static double apply(double (*function)(double), int n)
{
	double sum = 0;

	for (int i = 0; i < n; i++)
		sum += function(i);
	return sum;
}

static double parallel_square(double x)
{
	double parts[4], sum = 0;

#pragma omp parallel for
	for (int i = 0; i < 4; i++)
		parts[i] = x * x / 4;
	for (int i = 0; i < 4; i++)
		sum += parts[i];
	return sum;
}

int main(void)
{
	int values[50], other[20];

	for (int i = 0; i < 50; i++)
		values[i] = i;
	for (int i = 0; i < 20; i++)
		other[i] = 3 * i;
	printf("%d\n", twice(values, 50));
	printf("%d\n", deep(10, values, 50));
	printf("%d\n", deep(3, other, 20) ? sum_of(values, 50) : sum_of(other, 20));
	for (int i = 0; i < 3; i++) {
		int block[8] = {i};

		add_to(block, 8, i + sum_of(block, 8));
		printf("%d ", sum_of(block, 8));
	}
	printf("%d %d %.1f\n", values[49], other[19], apply(parallel_square, 6));
	return 0;
}
