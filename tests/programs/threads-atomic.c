/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * threads-atomic.c - a thread that the program makes itself reads atomically while the thread of
 * the region writes atomically, each time to a page that it has not used before.
 */
#include <omp.h>
#include <pthread.h>
#include <stdio.h>

#define WRITES 2000

static long written[WRITES][512], own, seen;

static void *look(void *result)
{
	long *looks = result;

	while (__atomic_load_n(&own, __ATOMIC_RELAXED) == 0)
		++*looks;
	return NULL;
}

int main(void)
{
	for (int time = 0; time < 10; time++) {
#pragma omp parallel
		if (omp_get_thread_num() == 0) {
			long looks = 0;
			pthread_t thread;

			own = 0;
			pthread_create(&thread, NULL, look, &looks);
			for (long i = 0; i < WRITES; i++)
				__atomic_store_n(&written[i][time], i + 1, __ATOMIC_RELAXED);
			__atomic_store_n(&own, 1, __ATOMIC_RELAXED);
			pthread_join(thread, NULL);
			seen += looks >= 0;
		}
	}
	for (int i = 1; i < WRITES; i++)
		for (int time = 0; time < 10; time++)
			written[0][time] += written[i][time];
	printf("%ld %ld %ld %ld\n", written[0][0], written[0][1], written[0][9], seen);
	return 0;
}
