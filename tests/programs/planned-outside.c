// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Loops that sequential code meets outside of regions: each has one thread, whose variables it
 * leaves as they are, however nodes share it out.
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N      12000
#define ROUNDS 5

static double data[N], other[N], sums[N];
static double grid[60][200];
static int limit = N, at[3];
static double *heap;

static void spread_out(void)
{
#pragma omp parallel
	{
#pragma omp for
		for (int i = 0; i < N; i++)
			data[i] = data[i] * 0.5 + i;
#pragma omp for
		for (int i = 0; i < N; i++)
			other[i] = data[N - 1 - i] + 1;
#pragma omp for
		for (int i = 0; i < 60; i++)
			for (int j = 0; j < 200; j++)
				grid[i][j] += i - j + data[i * 200 + j];
#pragma omp for
		for (int i = 0; i < N; i++)
			heap[i] += other[i];
	}
}

static void show(const char *name, const double *values)
{
	double sum = 0;

	for (int i = 0; i < N; i++)
		sum += values[i] * (i % 17 + 1);
	printf("%s %.3f\n", name, sum);
}

/* -- loops that can be shared out -------------------------------------------------------------- */

static void add(void)
{
	int i;

#pragma omp for
	for (i = 0; i < N; i++)
		data[i] += other[i];
}

static void multiply(double factor)
{
	int i, j;
	double product = 3, rest;

#pragma omp for
	for (i = 0; i < 60; i++)
		for (j = 0; j < 200; j++) {
			product = grid[i][j] * factor;
			rest = product - data[i * 200 + j];
			grid[i][j] = product + rest;
		}
#pragma omp for private(j) schedule(static, 7) nowait
	for (i = 0; i < 60; i++)
		for (j = 0; j < 200; j++)
			grid[i][j] -= factor;
	for (j = 0; j < 3; j++)
		grid[j][j]++;
}

static void move(double *to, const double *from, int count)
{
#pragma omp for
	for (int i = 0; i < count; i++)
		to[i] = from[i] + 1;
}

static void rows(int columns, double (*matrix)[columns], int count)
{
	int i, j;

#pragma omp for collapse(2)
	for (i = 0; i < count; i++)
		for (j = 0; j < columns; j++)
			matrix[i][j] *= 2;
}

static void up_to_limit(void)
{
	int i;

#pragma omp for
	for (i = 0; i < limit; i++)
		other[i] -= data[i];
}

struct part {
	int count, step;
};

static void of_struct(const struct part *part)
{
	int i, j;

#pragma omp for
	for (i = 0; i < 100; i++)
		for (j = 0; j < part->count; j++)
			data[i * 120 + j] += part->step;
}

static void clear(void)
{
	int i;

#pragma omp for
	for (i = 0; i < 60; i++)
		memset(grid[i], i, sizeof(grid[i]) / 2);
}

static void keep(int i)
{
	int j = 5;

#pragma omp for private(i, j)
	for (i = 0; i < N; i++)
		for (j = 0; j < 2; j++)
			data[i] += j;
	printf("kept %d %d\n", i, j);
}

/* -- loops that cannot ------------------------------------------------------------------------- */

static void after(void)
{
	int i, j = 7, last = 0;
	double left = 1;

#pragma omp for
	for (i = 0; i < N; i++) {
		left = data[i] - other[i];
		last = i;
		data[i] += left;
	}
	printf("left %.3f by %d, %d\n", left, last, j);
#pragma omp for
	for (i = 0; i < 60; i++)
		for (j = 0; j < 200 - i; j++)
			grid[i][j] += 1;
	printf("after the loop %d\n", j);
}

static void around(void)
{
	int i, first = 0;
	double before = 0;

	for (int round = 0; round < 3; round++) {
		printf("before %.3f %d\n", before, first);
#pragma omp for
		for (i = 0; i < N; i++) {
			before = data[i];
			first = i - round;
			other[i] += before;
		}
	}
}

static void one_by_one(void)
{
	int i;

#pragma omp for
	for (i = 1; i < N; i++)
		data[i] = data[i - 1] * 0.25 + data[i];
#pragma omp for
	for (i = 0; i < N; i++)
		sums[i % 100] += other[i];
#pragma omp for
	for (i = 0; i < N - 3000; i++)
		other[i + 3000] = other[i] + 1;
#pragma omp for
	for (i = 0; i < N; i++)
		if (i == at[1])
			at[2] = i + 5000;
		else if (i < at[2])
			heap[i]++;
}

static void asks(void)
{
	static int threads;
	int i;

	threads = 0;
#pragma omp for
	for (i = 0; i < N; i++)
		data[i] += omp_get_num_threads() + omp_get_thread_num();
#pragma omp for reduction(+ : threads)
	for (i = 0; i < N; i++)
		threads += other[i] > data[i];
	printf("reduced to %d, %d threads\n", threads, omp_get_num_threads());
#pragma omp for lastprivate(threads)
	for (i = 0; i < N; i++) {
		threads = i * 2;
		heap[i] += threads;
	}
	printf("last %d\n", threads);
}

static void of_caller(double *where)
{
	int i;

#pragma omp for
	for (i = 0; i < N; i++)
		where[i] = data[i] + other[i];
}

static void one_element(void)
{
	int i;
	double own[4] = {1, 2, 3, 4};

#pragma omp for
	for (i = 0; i < N; i++) {
		own[i % 4] += 1;
		data[i] += own[i % 4];
	}
	printf("own %.1f %.1f\n", own[0], own[3]);
}

static void ends(int round)
{
	int i;

#pragma omp for
	for (i = 0; i < N; i++) {
		if (data[i] > 1e30) {
			printf("too much in round %d\n", round);
			exit(3);
		}
		data[i] *= 0.75;
	}
}

static void both(void)
{
	int i;

#pragma omp for
	for (i = 0; i < N; i++)
		heap[i] = heap[i] * 0.5 + data[i];
}

int main(void)
{
	double local[N];
	struct part part;

	heap = malloc(N * sizeof(*heap));
	for (int i = 0; i < N; i++)
		heap[i] = i;
	for (int round = 0; round < ROUNDS; round++) {
		spread_out();
		add();
		show("add", data);
		spread_out();
		multiply(0.5 + round);
		show("multiply", &grid[0][0]);
		spread_out();
		move(heap, other, N - round);
		move(other, heap + round, N - round);
		show("move", heap);
		spread_out();
		rows(100, (double(*)[100])data, 120);
		rows(200 - round, (double(*)[200 - round]) heap, 55);
		show("rows", heap);
		spread_out();
		limit = N - 100 * round;
		up_to_limit();
		show("limit", other);
		spread_out();
		part.count = 50 + round;
		part.step = round;
		of_struct(&part);
		show("of a struct", data);
		spread_out();
		clear();
		show("clear", &grid[0][0]);
		spread_out();
		keep(round);
		spread_out();
		after();
		spread_out();
		around();
		spread_out();
		at[1] = 100 * round;
		one_by_one();
		show("one by one", data);
		show("one by one", other);
		show("one by one", heap);
		spread_out();
		asks();
		spread_out();
		of_caller(local);
		show("of the caller", local);
		spread_out();
		one_element();
		spread_out();
		ends(round);
		show("ends", data);
		spread_out();
		both();
#pragma omp parallel
		both();
#pragma omp parallel if (round > 9)
		both();
		show("both", heap);
		add();
		multiply(0.25);
		add();
		show("two", data);
	}
	show("sums", sums);
	free(heap);
	return 0;
}
