/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mpi.c - what MPI_Barrier and MPI_Allreduce of a double cost, beside which constructs.c stands.
 *
 * Usage: mpi [repetitions]      Prints name, median, quartiles, in microseconds.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "sample.h"

#define WORK 200

static double barriers(int repetitions)
{
	double started = MPI_Wtime();

	for (int i = 0; i < repetitions; i++) {
		sample_work(WORK);
		MPI_Barrier(MPI_COMM_WORLD);
	}
	return (MPI_Wtime() - started) / repetitions;
}

static double reductions(int repetitions)
{
	double started = MPI_Wtime(), mine = 1, all;

	for (int i = 0; i < repetitions; i++) {
		sample_work(WORK);
		MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	}
	return (MPI_Wtime() - started) / repetitions;
}

static double nothing(int repetitions)
{
	double started = MPI_Wtime();

	for (int i = 0; i < repetitions; i++)
		sample_work(WORK);
	return (MPI_Wtime() - started) / repetitions;
}

static void measure(const char *name, double (*function)(int), int repetitions, int rank)
{
	double times[SAMPLES];

	function(repetitions);
	for (int i = 0; i < SAMPLES; i++)
		times[i] = function(repetitions) - nothing(repetitions);
	if (rank == 0)
		sample_print(name, times, SAMPLES);
}

int main(int argc, char **argv)
{
	int repetitions = argc > 1 ? atoi(argv[1]) : 200, rank;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	measure("MPI_Barrier", barriers, repetitions, rank);
	measure("MPI_Allreduce", reductions, repetitions, rank);
	MPI_Finalize();
	return 0;
}
