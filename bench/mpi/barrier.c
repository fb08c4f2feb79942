/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * barrier.c - what MPI_Barrier costs; compare with bench/micro/region.c.
 *
 * Usage: barrier [repetitions]
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define WARM_UP 200

static double barriers(int repetitions)
{
	double started = MPI_Wtime();

	for (int i = 0; i < repetitions; i++)
		MPI_Barrier(MPI_COMM_WORLD);
	return MPI_Wtime() - started;
}

int main(int argc, char **argv)
{
	int repetitions = argc > 1 ? atoi(argv[1]) : 5000, rank;
	double spent;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	barriers(WARM_UP);
	spent = barriers(repetitions);
	if (rank == 0)
		printf("barrier_us %.3f\n", spent / repetitions * 1e6);
	MPI_Finalize();
	return 0;
}
