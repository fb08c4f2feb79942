/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * region.c - what an empty parallel region and a barrier cost; compare with bench/mpi/barrier.c.
 *
 * Usage: region [repetitions]
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#define WARM_UP 200

static void empty_region(void)
{
#pragma omp parallel
	{
	}
}

static double regions(int repetitions)
{
	double started = omp_get_wtime();

	for (int i = 0; i < repetitions; i++)
		empty_region();
	return omp_get_wtime() - started;
}

static double barriers(int repetitions)
{
	double started = omp_get_wtime();

#pragma omp parallel
	for (int i = 0; i < repetitions; i++) {
#pragma omp barrier
	}
	return omp_get_wtime() - started;
}

int main(int argc, char **argv)
{
	int repetitions = argc > 1 ? atoi(argv[1]) : 5000;

	if (repetitions < 1) {
		fprintf(stderr, "usage: region [repetitions]\n");
		return 2;
	}
	regions(WARM_UP);
	printf("region_us %.3f\n", regions(repetitions) / repetitions * 1e6);
	printf("barrier_us %.3f\n", barriers(repetitions) / repetitions * 1e6);
	return 0;
}
