/* SPDX-License-Identifier: GPL-2.0-or-later */
/* loop-dynamic.c - schedule(dynamic) and schedule(guided): each iteration once, by anyone. */
#include <omp.h>
#include <stdio.h>

#define N 307

static int runs[N], by[N], later[N];
static short pairs[20][15];
static double values[N];

static void check(const char *name)
{
	int wrong = 0;

	for (int i = 0; i < N; i++) {
		wrong += runs[i] != 1;
		runs[i] = 0;
	}
	printf("%s: %d wrong\n", name, wrong);
}

static void orphan(void)
{
#pragma omp for schedule(dynamic, 10)
	for (int i = 0; i < N; i++)
		runs[i]++;
}

int main(void)
{
	int last = -1, chunk = 6, broken = 0, threads = 0;
	long sum = 0, product = 1;
	unsigned char small;

#pragma omp parallel for schedule(dynamic)
	for (int i = 0; i < N; i++)
		runs[i]++;
	check("dynamic");
#pragma omp parallel for schedule(guided)
	for (int i = 0; i < N; i++)
		runs[i]++;
	check("guided");
#pragma omp parallel for schedule(dynamic, chunk) lastprivate(last) reduction(+ : sum)
	for (int i = N - 1; i >= 0; i--) {
		runs[i]++;
		by[i] = omp_get_thread_num();
		last = i * 3;
		sum += i;
	}
	/* A chunk belongs to one thread. */
	for (int i = 1; i < N; i++)
		broken += (N - 1 - i) % 6 != 5 && by[i] != by[i - 1];
	check("dynamic, 6");
	printf("%d %ld %d\n", last, sum, broken);
#pragma omp parallel for schedule(guided, 20) firstprivate(product)
	for (long i = 0; i < 2 * N; i += 2) {
		product = i;
		runs[product / 2]++;
	}
	check("guided, 20");
#pragma omp parallel
	{
		/* Several loops one after the other, without a barrier. */
#pragma omp for schedule(dynamic) nowait
		for (int i = 0; i < N; i++)
			runs[i]++;
#pragma omp for schedule(dynamic, 3) nowait
		for (int i = 0; i < N; i++)
			later[i] += i;
#pragma omp for schedule(guided) nowait
		for (int i = 0; i < N; i++)
			values[i] = i * 0.5;
#pragma omp for collapse(2) schedule(dynamic)
		for (int i = 0; i < 20; i++)
			for (int j = 0; j < 15; j++)
				pairs[i][j] = (short)(i * j);
	}
	check("nowait");
#pragma omp parallel
	{
		int mine = 0;

		for (int round = 0; round < 3; round++) {
#pragma omp for schedule(dynamic, 2)
			for (int i = round; i < N; i++)
				mine++;
		}
#pragma omp for schedule(dynamic)
		for (int i = 10; i < 10; i++)
			mine = 1000000;
#pragma omp atomic
		threads += mine;
		orphan();
	}
	check("orphan");
	sum = 0;
	for (int i = 0; i < N; i++)
		sum += later[i] + (long)(values[i] * 2) + pairs[i % 20][i % 15];
	printf("%ld %d\n", sum, threads == 3 * N - 3);
	/* A loop variable that is narrow, and a schedule larger than the loop. */
#pragma omp parallel for schedule(dynamic, 1000)
	for (small = 0; small < 250; small++)
		runs[small]++;
#pragma omp parallel for schedule(guided, 1000)
	for (int i = 250; i < N; i++)
		runs[i]++;
	check("narrow");
	return 0;
}
