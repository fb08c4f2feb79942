/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * need-threads.c - a thread that the program makes itself reads memory of which each thread of a
 * region has just written a part.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define SIZE (5 * 64 * 1024 / sizeof(long))

static long still[SIZE];
static long *heap;

static void fill(long seed)
{
#pragma omp parallel for
	for (size_t i = 0; i < SIZE; i++) {
		still[i] = (long)i * 1001 + seed;
		heap[i] = still[i] * 3;
	}
}

static void *sum(void *result)
{
	long total = 0;

	for (size_t i = 0; i < SIZE; i++)
		total = total * 3 + still[i] + heap[SIZE - 1 - i];
	*(long *)result = total;
	return NULL;
}

int main(void)
{
	pthread_t thread;
	long result = 0, own = 0;

	heap = malloc(SIZE * sizeof(*heap));
	fill(1);
	sum(&own);
	for (int round = 2; round < 5; round++) {
		fill(round);
		pthread_create(&thread, NULL, sum, &result);
		pthread_join(thread, NULL);
		printf("%ld\n", result);
	}
	sum(&own);
	printf("%ld %d\n", own, own == result);
	free(heap);
	return 0;
}
