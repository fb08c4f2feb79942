/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pipeline-both.c - threads have written parts of a page by themselves when all of them come to
 * write the same variable on it: the page is not whole on any node yet.
 */
#include <omp.h>
#include <stdio.h>

enum { COUNT = 9000, ROUNDS = 4 };

static long a[COUNT], b[COUNT], f[COUNT], sum, times, last[64];

int main(void)
{
	for (int round = 0; round < ROUNDS; round++) {
#pragma omp parallel
		{
			int me = omp_get_thread_num();

#pragma omp for nowait
			for (int i = 0; i < COUNT; i++)
				a[i] += i + round;
#pragma omp critical(last)
			last[me] += me + 1;
#pragma omp barrier
#pragma omp for
			for (int i = 0; i < COUNT; i++)
				f[i] = f[i] % 65537 + a[i];
#pragma omp for nowait
			for (int i = 0; i < COUNT; i++)
				b[i] = f[COUNT - 1 - i] + 1;
#pragma omp critical(times)
			times++;
#pragma omp barrier
#pragma omp single
			sum += b[round] + times;
		}
		for (int i = 0; i < omp_get_max_threads(); i++)
			if (last[i] != (round + 1) * (i + 1))
				printf("round %d, thread %d: %ld\n", round, i, last[i]);
		printf("%ld %ld\n", sum, times);
	}
	return 0;
}
