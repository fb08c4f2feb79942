// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * held.c - a region where nodes cannot be saved for a while: node 1 holds a lock over barriers, or
 * has a file open that it has opened in the region.
 *
 * Usage: held lock|FILE STEPS
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static omp_lock_t lock;
static long sum[8];

int main(int argc, char **argv)
{
	int steps = argc > 2 ? atoi(argv[2]) : 10, with_lock = argc > 1 && !strcmp(argv[1], "lock");

	omp_init_lock(&lock);
#pragma omp parallel
	{
		int rank = omp_get_thread_num();
		FILE *file = NULL;

		for (int step = 0; step < steps; step++) {
			if (rank == 1 && step % 16 == 1 && with_lock)
				omp_set_lock(&lock);
			if (rank == 1 && step % 16 == 1 && !with_lock)
				file = fopen(argv[1], "r");
			sum[rank] += step * (rank + 1);
			usleep(20000);
#pragma omp barrier
			if (rank == 1 && step % 16 == 8 && with_lock)
				omp_unset_lock(&lock);
			if (rank == 1 && step % 16 == 8 && file)
				fclose(file);
#pragma omp master
			{
				printf("step %d: %ld %ld\n", step, sum[0], sum[1]);
				fflush(stdout);
			}
#pragma omp barrier
		}
	}
	printf("end %ld %ld\n", sum[0], sum[1]);
	return 0;
}
