/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * barriers-large.c - regions with many barriers and much memory, of which little changes between
 * two of them, and now and then all.
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#define N     500000
#define STEPS 32

static int fixed[N];

static void put(int *at, int value)
{
	*at = value;
}

static unsigned look(const int *values, int from)
{
	unsigned all = 0;

	for (int i = from; i < N; i += 997)
		all = all * 31 + (unsigned)values[i];
	return all;
}

static void change(int *heap, int step)
{
	int me = omp_get_thread_num(), nodes = omp_get_num_threads();

	/* The same places, whoever has them. */
	for (int i = 0; i < 64; i++)
		if (i % nodes == me) {
			put(&heap[(i * 15601 + step * 7919) % N], step * 64 + i);
			put(&fixed[(i * 15601 + step * 104729) % N], i - step);
		}
}

static unsigned run(int *heap, int dense)
{
	unsigned result = 0;
	int *added = NULL;

#pragma omp parallel
	{
		unsigned seen = 0;

		for (int step = 0; step < STEPS; step++) {
			change(heap, step);
#pragma omp barrier
			seen = seen * 7 + look(heap, step) + look(fixed, step);
#pragma omp barrier
			if (step % 16 == 5)
#pragma omp single
				put(&fixed[step], (int)seen);
			if (step == 20) {
#pragma omp single
				added = malloc(250000 * sizeof(*added));
#pragma omp for
				for (int i = 0; i < 250000; i++)
					put(&added[i], i);
			}
			if (dense && step % dense == 0)
#pragma omp for
				for (int i = 0; i < N; i++)
					put(&heap[i], heap[i] + 1);
		}
#pragma omp master
		result = seen;
	}
	for (int i = 0; i < 250000; i += 1000)
		result += (unsigned)added[i];
	free(added);
	return result;
}

int main(void)
{
	int *heap = malloc(N * sizeof(*heap));

	for (int i = 0; i < N; i++)
		heap[i] = fixed[i] = i;
	for (int round = 0; round < 4; round++) {
		printf("%u %u\n", run(heap, 0), run(heap, 9 - 2 * round));
		for (int i = round; i < N; i += 5)
			heap[i] ^= round;
	}
	printf("%u %u\n", look(heap, 0), look(fixed, 0));
	return 0;
}
