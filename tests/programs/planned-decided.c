// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * planned-decided.c - conditions that decide on what a loop writes, or how often it does something,
 * and read by indices in memory, or by pointers that lie beside what a loop writes.
 */
#include <stdio.h>
#include <stdlib.h>

#define N     700
#define STEPS 6

struct record {
	double value;
	int next;
	long mark;
};

static long place[N], array[N], z[N], *x = array;
static int length[N];
static struct record record[N];
static struct {
	double *on;
	int around[N];
} set;

/* What the condition looks up is all that is read by a list. */
static void by_list(int step)
{
#pragma omp parallel for
	for (int i = 0; i < N; i++)
		x[i] = (z[i] + 43 + step) % 10007;
#pragma omp parallel for
	for (int i = 0; i < N; i++)
		if (x[place[i]] & 1)
			z[i] = (z[i] + x[place[i]]) % 10007;
}

static void by_parameter(long *from, long *to, const long *list, int step)
{
#pragma omp parallel for
	for (int i = 0; i < N; i++)
		from[i] = (to[i] * 3 + step) % 1009;
#pragma omp parallel for
	for (int i = 0; i < N; i++)
		if (from[list[i]] % 3 == 1)
			to[i] += 7;
		else if (from[list[list[i]]] % 5 == 2)
			to[i] -= 2;
}

/* As many rounds as a list says, in which what is written is always the same. */
static void by_bounds(long *to, int step)
{
#pragma omp parallel for
	for (int i = 0; i < N; i++)
		length[i] = (i + step) % 5;
#pragma omp parallel for
	for (int i = 0; i < N; i++)
		for (int k = 0; k < length[place[i]]; k++)
			to[i] += k + 1;
}

/* The pointer lies on a page that the last node has just written. */
static void by_pointer(int step)
{
	int round = step / 2;

#pragma omp parallel
	{
#pragma omp for
		for (int i = 0; i < N; i++)
			if ((x[i] + round) % 3 == 0)
				record[i].mark = 1 + round;
#pragma omp for
		for (int i = 0; i < N; i++)
			if (set.on[32] == round % 2)
				record[i].value += i + round;
	}
}

int main(void)
{
	long *heap = malloc(N * sizeof(*heap));
	double sum = 0;

	set.on = calloc(N, sizeof(*set.on));
	for (int i = 0; i < N; i++) {
		place[i] = i * 9 % N;
		x[i] = i * 3;
		heap[i] = z[i] = i * 9 + 2;
	}
	for (int step = 0; step < STEPS; step++)
		by_list(step);
	for (int step = 0; step < STEPS; step++) {
		by_parameter(x, z, place, step);
		by_parameter(heap, x, place, step);
	}
	for (int step = 0; step < STEPS; step++)
		by_bounds(z, step);
	for (int step = 0; step < STEPS; step++)
		by_pointer(step);
	for (int i = 0; i < N; i++)
		sum += (double)(x[i] % 1000 * 3 + z[i] % 1000 * (i % 7) + heap[i] % 1000) +
		       record[i].value * 0.5 + (double)record[i].mark;
	printf("%.6f\n", sum);
	free(heap);
	free(set.on);
	return 0;
}
