/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * need-threads-region.c - in a region a thread that the program makes itself reads, over several
 * barriers, memory of which each thread of the region has written a part.
 */
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define SIZE   (5 * 64 * 1024 / sizeof(long))
#define ROUNDS 6

static long still[SIZE], other[SIZE];
static long *heap;
static volatile int stop;

static void fill(long seed)
{
#pragma omp parallel for
	for (size_t i = 0; i < SIZE; i++) {
		still[i] = (long)i * 1001 + seed;
		heap[i] = still[i] * 3;
	}
}

static long sum(void)
{
	long total = 0;

	for (size_t i = 0; i < SIZE; i++)
		total = total * 3 + still[i] + heap[SIZE - 1 - i];
	return total;
}

/* In memory that is this thread's alone. */
static void *look(void *result)
{
	long *looks = result, first = sum();

	looks[0] = first;
	looks[1] = 0;
	do {
		looks[1] += sum() != first;
		looks[2] += other[SIZE / 2] < 0;
	} while (!__atomic_load_n(&stop, __ATOMIC_RELAXED));
	return NULL;
}

int main(void)
{
	long seen = 0, changed = 0;

	heap = malloc(SIZE * sizeof(*heap));
	for (int time = 0; time < 3; time++) {
		fill(time);
		stop = 0;
#pragma omp parallel reduction(+ : seen, changed)
		{
			long looks[3] = {0, 0, 0};
			pthread_t thread;
			int last = omp_get_thread_num() == omp_get_num_threads() - 1;

			if (last)
				pthread_create(&thread, NULL, look, looks);
			for (int round = 0; round < ROUNDS; round++) {
#pragma omp for
				for (size_t i = 0; i < SIZE; i++)
					other[i] += (long)i + round;
			}
			if (last) {
				__atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
				pthread_join(thread, NULL);
				seen += looks[0];
				changed += looks[1] + looks[2];
			}
		}
		printf("%ld %ld\n", seen, changed);
	}
	for (size_t i = 0; i < SIZE; i++)
		seen = seen * 3 + other[i];
	printf("%ld %d\n", seen, sum() != 0);
	free(heap);
	return 0;
}
