// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * task-waits.c - who has made tasks waits for a few of them at a time, again and again, while other
 * threads and nodes run them: nobody misses that the last one is done.
 */
#include <stdio.h>
#include <time.h>

#define ROUNDS 150
#define TASKS  6

static long sum[TASKS];

static void run(int i)
{
	nanosleep(&(struct timespec){0, 250000}, NULL);
	sum[i] += i + 1;
}

int main(void)
{
	long all = 0;

#pragma omp parallel
#pragma omp single
	for (int round = 0; round < ROUNDS; round++) {
		for (int i = 0; i < TASKS; i++) {
#pragma omp task firstprivate(i)
			run(i);
		}
#pragma omp taskwait
		all += sum[round % TASKS];
	}
	for (int i = 0; i < TASKS; i++)
		printf("%ld ", sum[i]);
	printf("%ld\n", all);
	return 0;
}
