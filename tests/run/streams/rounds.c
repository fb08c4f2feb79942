/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rounds.c - prints a line A of each thread, a barrier, and a line B: 70 times. */
#include <omp.h>
#include <stdio.h>

static int before[64], after[64];

int main(void)
{
	for (int round = 0; round < 70; round++) {
#pragma omp parallel
		{
			int thread = omp_get_thread_num();

			before[thread] = round;
			printf("%d A %d\n", round, thread);
#pragma omp barrier
			after[thread] = before[(thread + 1) % omp_get_num_threads()];
			printf("%d B %d\n", round, thread);
		}
	}
	return 0;
}
