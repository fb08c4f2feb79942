/* SPDX-License-Identifier: GPL-2.0-or-later */
/* print-all-threads.c - every thread prints: each line once, whatever the order. */
#include <omp.h>
#include <stdio.h>

int main(void)
{
	printf("one line before\n");
#pragma omp parallel
	printf("hello from thread %d of %d\n", omp_get_thread_num(), omp_get_num_threads());
	printf("one line between\n");
#pragma omp parallel for
	for (int i = 0; i < 300; i++)
		printf("iteration %d squared is %d\n", i, i * i);
#pragma omp parallel sections
	{
#pragma omp section
		puts("a section");
#pragma omp section
		puts("another section");
	}
#pragma omp parallel
	{
		printf("thread %d before the barrier\n", omp_get_thread_num());
#pragma omp barrier
		printf("thread %d behind it\n", omp_get_thread_num());
#pragma omp single
		printf("one for all\n");
	}
	printf("one line after\n");
	return 0;
}
