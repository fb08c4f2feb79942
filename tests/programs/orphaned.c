/* SPDX-License-Identifier: GPL-2.0-or-later */
/* orphaned.c - constructs in functions that a region calls, that nobody else's region sees. */
#include <omp.h>
#include <stdio.h>

#define N 60

static int data[N], singles, masters;
static double squares[N];

static void fill(int from, int base)
{
#pragma omp for
	for (int i = from; i < N; i++)
		data[i] = base + i;
}

static void deeper(int depth, int *counter)
{
	if (depth) {
		deeper(depth - 1, counter);
		return;
	}
#pragma omp single
	{
		singles++;
		*counter += 10;
	}
#pragma omp master
	masters++;
#pragma omp barrier
}

static void in_sections(void)
{
#pragma omp sections
	{
#pragma omp section
		data[0] = -1;
#pragma omp section
		data[1] = -2;
	}
}

static long total(void)
{
	static long sum;

#pragma omp single
	sum = 0;
#pragma omp for reduction(+ : sum)
	for (int i = 0; i < N; i++)
		sum += data[i];
	return sum;
}

static void square(const int *source, double *target, int n)
{
	int i;

#pragma omp for nowait private(i)
	for (i = 0; i < n; i++)
		target[i] = (double)source[i] * source[i];
}

int main(void)
{
	int counter = 0;
	long inside = 0;

#pragma omp parallel
	{
		long sum;

		fill(0, 100);
		deeper(4, &counter);
		in_sections();
		sum = total();
		square(data, squares, N);
#pragma omp barrier
		if (omp_get_thread_num() == omp_get_num_threads() - 1)
			inside = sum + (long)squares[N - 1];
	}
	printf("%ld %d %d %d\n", inside, counter, singles, masters);
	/* The same functions without a region: a team of one. */
	fill(5, 7);
	deeper(1, &counter);
	in_sections();
	square(data, squares, N);
	printf("%ld %d %d %d %.0f\n", total(), counter, singles, masters, squares[30]);
	return 0;
}
