/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Loops whose writes are known, and of whose reads not the places: by lists of indices, which other
 * loops change, in a table, by pointers, through loops whose ends are not known; loops in which the
 * program may end; and loops without iterations, of things that do not exist.
 */
#include <stdio.h>
#include <stdlib.h>

#define N     1000
#define STEPS 6

struct matrix {
	struct shape {
		double *row[2];
		struct shape *inner;
		int first;
	} * shape;
	int rows;
};

static int list[N + 1], next[N], order[N];
static double x[N], y[N], table[64], total;
static double *heap, *other;
static struct matrix nothing;

static void fail(int i)
{
	printf("%d is no index\n", i);
	exit(1);
}

static double walked(int i)
{
	double sum = 0;

	for (int at = i, n = 0; n < 3; at = next[at], n++)
		sum += x[at];
	return sum;
}

static void multiply(const double *from, double *to)
{
#pragma omp for
	for (int i = 0; i < N; i++) {
		double sum = 0;

		for (int k = list[i]; k < list[i + 1]; k++) {
			if (order[k % N] < 0 || order[k % N] >= N)
				fail(order[k % N]);
			sum += from[order[k % N]];
		}
		to[i] = sum / 4;
	}
}

static void step(int s)
{
	double sum = 0;

#pragma omp parallel
	{
		multiply(x, heap);
#pragma omp for
		for (int i = 0; i < N; i++)
			y[i] = heap[next[i]] + table[((int)x[i] * 3 + s) & 63];
#pragma omp for nowait
		for (int i = 0; i < N; i++)
			order[i] = (order[i] * 7 + s) % N;
#pragma omp for
		for (int i = 0; i < 64; i++)
			table[i] += i + s;
		multiply(y, other);
#pragma omp for reduction(+ : sum)
		for (int i = 0; i < N; i++)
			sum += (long)walked(i) % 1000;
#pragma omp for
		for (int i = 0; i < N; i++) {
			double least = other[i];

			if (y[next[i]] < least)
				least = y[next[i]];
			x[i] = (long)(least * 2 + i) % 997;
		}
	}
	total += sum;
}

int main(void)
{
	heap = calloc(N, sizeof(*heap));
	other = calloc(N, sizeof(*other));
	for (int i = 0; i < N; i++) {
		list[i + 1] = list[i] + i % 5;
		next[i] = (i * 37 + 11) % N;
		order[i] = (i * 13) % N;
		x[i] = i % 10;
	}
	for (int s = 0; s < STEPS; s++) {
		step(s);
		if (s == 3)
			for (int i = 0; i < N; i++)
				next[i] = N - 1 - i;
#pragma omp parallel for
		for (int i = 0; i < nothing.rows; i++)
			nothing.shape->inner->row[1][nothing.shape->first + i] = i;
	}
	for (int i = 0; i < N; i += 100)
		printf("%g %g %g %d\n", x[i], y[i], other[i], order[i]);
	printf("%.17g\n", total);
	free(heap);
	free(other);
	return 0;
}
