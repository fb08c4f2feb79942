/* SPDX-License-Identifier: GPL-2.0-or-later */
/* single-waits.c - a single construct that prints waits for what the next one does. */
#include <omp.h>
#include <stdio.h>

static volatile int released;

int main(void)
{
#pragma omp parallel
	{
#pragma omp single nowait
		{
			printf("waits, ");
			fflush(stdout);
			while (!released && omp_get_num_threads() > 1) {
#pragma omp flush
			}
		}
#pragma omp single
		released = 1;
#pragma omp single
		printf("is released\n");
#pragma omp single
		printf("done\n");
	}
	return 0;
}
