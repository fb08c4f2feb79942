/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Constructs in every place where a statement can stand, orphaned, nested, in headers, in macros. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#include "header.h"

#define N 60

static int counter;
#pragma omp threadprivate(counter)

static int table[N], other[N];

static int sum_of(const int *values, int n)
{
	int i, sum = 0;

	for (i = 0; i < n; i++)
		sum = sum * 3 + values[i];
	return sum;
}

/* Orphaned: binds to whatever region calls it. */
static void orphan(int n)
{
	int i;

#pragma omp for nowait
	for (i = 0; i < n; i++)
		table[i] += i;
#pragma omp barrier
#pragma omp sections
	{
#pragma omp section
		other[0]++;
#pragma omp section
		for (i = 1; i < 3; i++)
			other[i]++;
#pragma omp section
		{
			other[3]++;
		}
	}
#pragma omp single
	other[4]++;
#pragma omp master
	other[5]++;
#pragma omp barrier
}

/* An old-style function with a label before a construct and a construct as a loop's body. */
static int old_style(n, values) int n;
int *values;
{
	int i, round, sum = 0;

	for (round = 0; round < 3; round++)
#pragma omp parallel for reduction(+ : sum)
		for (i = 0; i < n; i++)
			sum += values[i];
	if (n > 3)
#pragma omp parallel for
		for (i = 0; i < n; i++)
			values[i]++;
	else
		goto out;
	switch (n) {
	case N:
#pragma omp parallel sections
	{
		values[0] = 50;
#pragma omp section
		values[1] = 51;
	}
		break;
	default:
		break;
	}
out:
#pragma omp parallel
	{
#pragma omp master
		sum++;
	}
	return sum;
}

static void collapsed(void)
{
	static int grid[7][5][3];
	int i, j, k, total = 0;

#pragma omp parallel for collapse(2) private(k)
	for (i = 0; i < 7; i++)
		for (j = 4; j >= 0; j--) {
			if (i == 3 && j == 2)
				continue;
			for (k = 0; k < 3; k++)
				grid[i][j][k] += 1 + i * 100 + j * 10 + k;
		}
#pragma omp parallel for collapse(3) schedule(static, 4) lastprivate(i, j, k) reduction(+ : total)
	for (i = 0; i < 7; i += 2) {
		for (j = 0; j < 5; j++) {
			for (k = 2; k >= 0; k -= 2)
				total += grid[i][j][k];
		}
	}
	printf("collapse %d %d %d %d\n", total, i, j, k);
}

static void threadprivate_data(void)
{
	static int own = 3;
#pragma omp threadprivate(own)
	int seen = 0, value = 0, array[3] = { 0 };

	counter = 17;
	own = 4;
#pragma omp parallel copyin(counter, own) reduction(+ : seen) private(value) firstprivate(array)
	{
		counter += own;
#pragma omp single copyprivate(value, array)
		{
			value = 5;
			array[1] = 6;
		}
		seen = counter + value + array[1] == 32;
	}
	printf("threadprivate %d\n", seen == omp_get_max_threads());
}

static void hidden(int n)
{
	int data[4] = { 1, 2, 3, 4 }, *pointer = data, sum = 0;
	{
		int data = 5;

#pragma omp parallel for firstprivate(data)
		for (int i = 0; i < 4; i++)
			pointer[i] += data + n;
	}
	for (int i = 0; i < 4; i++)
		sum += data[i];
	printf("hidden %d\n", sum);
}

static void nested(void)
{
	int levels = 0, sum = 0;

#pragma omp parallel num_threads(2) default(none) shared(levels, table) reduction(+ : sum)
	{
		int i, mine = 0;

#pragma omp parallel for reduction(+ : mine) num_threads(2)
		for (i = 0; i < 10; i++)
			mine += i + table[i] - table[i];
#pragma omp single
		levels = omp_get_level();
#pragma omp for nowait schedule(static)
		for (i = 0; i < 10; i++)
			sum += mine;
	}
	printf("nested %d %d\n", levels, sum);
}

static void written_by_one(void)
{
	int x = 0, flag = 0;

#pragma omp parallel shared(x, flag)
	{
#pragma omp single
		x = 42;
#pragma omp master
		flag = x;
#pragma omp barrier
#pragma omp flush(flag)
		if (flag != 42)
			abort();
	}
	printf("written by one %d %d\n", x, flag);
}

int main(void)
{
	int i;

#pragma omp parallel
	orphan(N);
	orphan(N); /* a team of one */
	printf("orphan %d %d\n", sum_of(table, N), sum_of(other, N));
	printf("old style %d %d\n", old_style(N, table), sum_of(table, N));
	collapsed();
	threadprivate_data();
	hidden(2);
	nested();
	written_by_one();
	printf("header %d\n", header_sum(table, N));
	SCALE(table, N, 3);
	printf("macro %d\n", sum_of(table, N));
	printf("expression %d\n", ({
		       int sum = 0;
#pragma omp parallel for reduction(+ : sum) if (N > 5)
		       for (i = 0; i < N; i++)
			       sum += table[i];
		       sum;
	       }));
#pragma omp simd private(i)
	for (int j = 0; j < N; j++)
		table[j] += j;
#pragma omp parallel for simd
	for (i = 0; i < N; i++)
		table[i] -= i;
	printf("simd %d\n", sum_of(table, N));
	return 0;
}
