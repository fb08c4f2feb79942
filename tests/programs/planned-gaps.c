/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * planned-gaps.c - between loops of which all is known: loops without a barrier, singles, writes of
 * one thread, critical sections, functions whose names mean something else where the loop is.
 */
#include <omp.h>
#include <stdio.h>

#define N 3000

static double a[N], b[N], c[N];
static int n = N, count;
static double base = 2;

static void put(int i)
{
	b[i] = base + i;
}

static int *counter(void)
{
	static int calls = 7;

	return &calls;
}

int main(void)
{
	double base = 0.5, all = 0;

	for (int round = 0; round < 5; round++) {
#pragma omp parallel
		{
#pragma omp for nowait
			for (int i = 0; i < n; i++)
				c[i] = i % (round + 2);
#pragma omp for
			for (int i = 0; i < n; i++)
				a[i] = i + base * round;
#pragma omp single
			{
				a[N / 2] = -round;
				n -= 1;
			}
#pragma omp for
			for (int i = 0; i < n; i++)
				b[i] = a[i] + c[i];
#pragma omp master
			b[1] = 1000;
#pragma omp barrier
#pragma omp for
			for (int i = 1; i < n; i++)
				a[i] += b[i - 1];
#pragma omp critical
			count++;
		}
#pragma omp parallel for
		for (int i = 0; i < N; i++)
			put(i);
#pragma omp parallel for
		for (int i = 0; i < N; i++)
			c[i] += *counter() + b[N - 1 - i];
		for (int i = 0; i < N; i++)
			all += a[i] * 2 + b[i] * 3 + c[i];
	}
	printf("%.1f %d\n", all, count % 5 == 0);
	return 0;
}
