// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tasks.c - a region that is saved while its constructs have variables that tasks add to.
 *
 * Usage: tasks ITERATIONS MICROSECONDS
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int end = argc > 1 ? atoi(argv[1]) : 60;
	unsigned nap = argc > 2 ? (unsigned)atoi(argv[2]) : 0;
	long sum = 3, all = 5;

	printf("begin\n");
	fflush(stdout);
#pragma omp parallel reduction(task, + : all)
	{
#pragma omp for schedule(dynamic) reduction(task, + : sum)
		for (int i = 0; i < end; i++) {
			usleep(nap);
#pragma omp task in_reduction(+ : sum) firstprivate(i)
			sum += i;
#pragma omp task in_reduction(+ : all)
			all++;
#pragma omp taskwait
		}
#pragma omp barrier
#pragma omp task in_reduction(+ : all)
		all += 1000;
#pragma omp taskwait
	}
	printf("%ld %ld\n", sum, all);
	return 0;
}
