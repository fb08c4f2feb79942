// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * planned-shrink.c - an elimination, each step of which writes a part of what the last one has
 * written; others read in between what it writes again, or write it themselves.
 */
#include <stdio.h>

#define N 96

static int a[N][N], sums[N], edge[N];

static void fill(void)
{
#pragma omp parallel for schedule(static, 1)
	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++)
			a[i][j] = (i * 37 + j * 11) % 101;
}

static void eliminate(int k)
{
#pragma omp parallel for schedule(static, 1)
	for (int i = 0; i < N; i++)
		if (i > k)
			for (int j = k; j < N; j++)
				a[i][j] = (a[i][j] + 3 * a[k][j] + k) % 1009;
}

static void eliminate_all(void)
{
#pragma omp parallel
	for (int k = 0; k < N - 1; k++) {
#pragma omp for schedule(static, 1)
		for (int i = 0; i < N; i++)
			if (i > k)
				for (int j = k; j < N; j++)
					a[i][j] = (a[i][j] + 3 * a[k][j]) % 1009;
	}
}

/* All read, after each step, what the next ones write again. */
static int eliminate_and_read(void)
{
	int last = 0;

#pragma omp parallel
	{
		int more = 1;

		for (int k = 0; k < N - 1; k++) {
#pragma omp for schedule(static, 1)
			for (int i = 0; i < N; i++)
				if (i > k)
					for (int j = k; j < N; j++)
						a[i][j] = (a[i][j] + 3 * a[k][j] + more) % 1009;
			more = a[N - 1][N - 1] % 5 + a[N - 2][N - 2] % 3;
#pragma omp barrier
		}
#pragma omp master
		last = more;
	}
	return last;
}

/* Each row is read by who has not written it. */
static void sum(void)
{
#pragma omp parallel for schedule(static, 1)
	for (int i = 0; i < N; i++) {
		sums[i] = 0;
		for (int j = 0; j < N; j++)
			sums[i] = (sums[i] + a[(i + 1) % N][j]) % 10007;
	}
}

/* Each element is written by who has not written its row. */
static void turn(int k)
{
#pragma omp parallel for
	for (int i = 0; i < N; i++)
		a[N - 1 - i][N - 1] = (a[N - 1 - i][N - 1] + i + k) % 1009;
}

static void note_edge(int k)
{
#pragma omp parallel for
	for (int i = 0; i < N; i++)
		edge[i] = (edge[i] + a[i][N - 1] + k) % 10007;
}

int main(void)
{
	long all = 0;

	for (int turns = 0; turns < 3; turns++) {
		fill();
		for (int k = 0; k < N - 1; k++) {
			eliminate(k);
			if (k % 7 == 3)
				sum();
			if (k % 11 == 5)
				turn(k);
			if (k % 5 == 1)
				note_edge(k);
		}
		sum();
		eliminate_all();
		all += eliminate_and_read();
		for (int i = 0; i < N; i++)
			all = (all * 31 + sums[i] + edge[i]) % 1000003;
		printf("%ld\n", all);
	}
	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++)
			all = (all * 31 + a[i][j]) % 1000003;
	printf("%ld\n", all);
	return 0;
}
