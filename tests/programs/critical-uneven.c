/* SPDX-License-Identifier: GPL-2.0-or-later */
/* critical-uneven.c - threads that enter critical constructs a different number of times. */
#include <omp.h>
#include <stdio.h>

static long count, sum, per_thread[64];

int main(void)
{
	int threads = omp_get_max_threads();
	long expected = 0;

#pragma omp parallel
	{
		int me = omp_get_thread_num();

		/* Thread 0 never enters, the last one most often. */
		for (int i = 0; i < me * 5; i++) {
#pragma omp critical
			{
				count++;
				sum += me;
				per_thread[me]++;
			}
		}
#pragma omp barrier
		/* Only the master enters. */
#pragma omp master
		for (int i = 0; i < 10; i++) {
#pragma omp critical
			count += 100;
		}
#pragma omp barrier
		/* Some iterations enter, and a function of one thread only. */
#pragma omp for schedule(static, 3)
		for (int i = 0; i < 100; i++) {
			if (i % 7 == 3) {
#pragma omp critical
				sum += 1000;
			}
		}
		if (me == threads - 1) {
#pragma omp critical
			sum += 1000000;
		}
	}
	for (int t = 0; t < threads; t++) {
		expected += t * 5;
		if (per_thread[t] != t * 5)
			printf("thread %d: %ld\n", t, per_thread[t]);
	}
	printf("%ld\n", count - expected);
	for (int t = 0; t < threads; t++)
		sum -= (long)t * t * 5;
	printf("%ld\n", sum);
	return 0;
}
