/* SPDX-License-Identifier: GPL-2.0-or-later */
/* critical-print.c - whole lines, printed by all threads under a critical construct. */
#include <omp.h>
#include <stdio.h>

int main(void)
{
	int counter = 0;

#pragma omp parallel
	{
		int me = omp_get_thread_num();

#pragma omp critical
		{
			counter++;
			printf("hello ");
			printf("from thread %d", me);
			printf(" of %d\n", omp_get_num_threads());
		}
#pragma omp for schedule(dynamic)
		for (int i = 0; i < 20; i++) {
#pragma omp critical
			printf("iteration %d\n", i);
		}
	}
	printf("%d\n", counter);
	return 0;
}
