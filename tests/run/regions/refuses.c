// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * refuses.c - a loop whose chunks nodes ask for, where node 1 holds a lock all the time, and node 2
 * has one long chunk: how many of the short ones node 0 gets meanwhile.
 *
 * Usage: refuses ITERATIONS MICROSECONDS
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static omp_lock_t lock;

int main(int argc, char **argv)
{
	int end = argc > 1 ? atoi(argv[1]) : 100, mine = 0, first = 0;
	unsigned nap = argc > 2 ? (unsigned)atoi(argv[2]) : 0;

	omp_init_lock(&lock);
#pragma omp parallel firstprivate(mine)
	{
		if (omp_get_thread_num() == 1)
			omp_set_lock(&lock);
#pragma omp for schedule(dynamic)
		for (int i = 0; i < end; i++) {
			if (omp_get_thread_num() == 2 && mine == 0)
				usleep((unsigned)end * nap);
			usleep(nap);
			mine++;
		}
		if (omp_get_thread_num() == 1)
			omp_unset_lock(&lock);
#pragma omp master
		first = mine;
	}
	printf("%d\n", first);
	return 0;
}
