/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vector1.c - VECTOR-1 by hand in MPI (thesis A.1.4); the OpenMP program is bench/omp/vector1.c.
 *
 * Usage: mpirun -np ranks vector1 [n [1]], where 1 prints what Fig. 4.18 prints for every element
 *
 * Mended: the appendix multiplies b where Fig. 4.18 multiplies A, sends the address of a pointer,
 * and needs two ranks; here a single rank computes both blocks.
 */
#include "share.h"
#include "../vector1.h"

static void first_block(int n, float C[n], int rank, int talk)
{
	float A[n], B[n];

	fill_vectors(n, A, B);
	if (talk)
		printf("Thread %d doing section 1\n", rank);
	for (int i = 0; i < n; i++) {
		for (int j = 0; j < n; j += 25)
			A[j] = (float)(A[j] * 0.15);
		C[i] = A[i] + B[i];
		if (talk)
			printf("Thread %d: C[%d]= %f\n", rank, i, C[i]);
	}
}

static void second_block(int n, float D[n], int rank, int talk)
{
	float A[n], B[n];

	fill_vectors(n, A, B);
	if (talk)
		printf("Thread %d doing section 2\n", rank);
	for (int i = 0; i < n; i++) {
		for (int j = 0; j < n; j += 25)
			B[j] = (float)(B[j] + 10.25);
		D[i] = A[i] * B[i];
		if (talk)
			printf("Thread %d: D[%d]= %f\n", rank, i, D[i]);
	}
}

static void vector(const struct world *world, int n, float C[n], float D[n], int talk)
{
	int second = 1 % world->ranks;

	if (world->rank == 0)
		printf("Number of threads = %d\n", world->ranks);
	if (talk)
		printf("Thread %d starting...\n", world->rank);
	if (world->rank == 0)
		first_block(n, C, world->rank, talk);
	if (world->rank == second)
		second_block(n, D, world->rank, talk);
	MPI_Bcast(C, n, MPI_FLOAT, 0, MPI_COMM_WORLD);
	MPI_Bcast(D, n, MPI_FLOAT, second, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
	struct world world = start_world(&argc, &argv);
	int n = argument(argc, argv, 1, VECTOR1_SIZE, 1, VECTOR1_MOST);
	int talk = argument(argc, argv, 2, 0, 0, 1);
	float *C = allocate((size_t)n, sizeof(*C)), *D = allocate((size_t)n, sizeof(*D));
	double started = start_clock(), spent;
	int status = EXIT_SUCCESS;

	vector(&world, n, C, D, talk);
	spent = common_clock() - started;
	if (world.rank == 0) {
		report_time("vector1", spent);
		print_vectors(n, C, D);
		status = verdict("vector1", check_vectors(n, C, D));
	}
	free(C);
	free(D);
	MPI_Finalize();
	return status;
}
