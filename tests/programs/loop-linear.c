/* SPDX-License-Identifier: GPL-2.0-or-later */
/* loop-linear.c - variables that go on by a step with each iteration of a loop that is shared out. */
#include <omp.h>
#include <stdio.h>

#define N 103

static int target[4 * N];
static double list[N];

static long sum_of(void)
{
	long sum = 0;

	for (int i = 0; i < 4 * N; i++) {
		sum += (long)target[i] * (i + 1);
		target[i] = 0;
	}
	return sum;
}

static void counted(void)
{
	int j = 5, step = 3;
	unsigned char small = 250;
	long k = -7;

	/* As DataRaceBench 112: the block steps the variable itself. */
#pragma omp parallel for linear(j)
	for (int i = 0; i < N; i++) {
		target[j] += i;
		j++;
	}
	printf("%d %ld\n", j, sum_of());
	j = 2;
#pragma omp parallel
	{
#pragma omp for linear(j : step) schedule(dynamic, 4)
		for (int i = 0; i < N; i++)
			target[j] = i, j += step;
#pragma omp for simd linear(k : -2) linear(small) schedule(static, 5)
		for (int i = 0; i < N; i++)
			target[i] += (int)k-- + small++, k--;
	}
	printf("%d %ld %d %ld\n", j, k, small, sum_of());
}

static void pointers(void)
{
	double *at = list;
	int n = 0;

#pragma omp parallel for linear(at, n : 1) schedule(guided)
	for (int i = N - 1; i >= 0; i--)
		*at++ = i + n++;
	printf("%d %d %g %g\n", (int)(at - list), n, list[0], list[N - 1]);
}

static void nested(void)
{
	int at = 1;

#pragma omp parallel for collapse(2) linear(at : 2) ordered schedule(static, 3)
	for (int i = 0; i < 7; i++)
		for (int j = 0; j < 11; j++) {
			target[at] = 10 * i + j;
#pragma omp ordered
			target[0] = target[0] * 3 % 1009 + at;
			at += 2;
		}
	printf("%d %d ", at, target[0]);
	printf("%ld\n", sum_of());
}

static void none(void)
{
	int at = 4, limit = 0;

#pragma omp parallel for linear(at : 2)
	for (int i = 0; i < limit; i++)
		target[at] = 1;
	printf("%d %ld\n", at, sum_of());
}

int main(void)
{
	counted();
	pointers();
	nested();
	none();
	return 0;
}
