/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vector2.c - VECTOR-2 by hand in MPI (thesis A.1.5); the OpenMP program is bench/omp/vector2.c.
 *
 * Usage: mpirun -np ranks vector2 [n [m]]
 *
 * Mended: the appendix reads a[-1] and runs over the end of z when m < n; and as in the OpenMP
 * program each step starts from the vectors X and W.
 */
#include "share.h"
#include "../vector2.h"

static void first_loop(const struct world *world, int n, const float X[n], float B[n])
{
	int left = share(world, world->rank, 1, n), right = share(world, world->rank + 1, 1, n);
	float A[n];

	fill_vector(n, A);
	for (int i = left; i < right; i++) {
		for (int j = 0; j < n; j += 20)
			A[j] = (float)(X[j] + 10.25);
		B[i] = (A[i] + A[i - 1]) / 2;
	}
}

static void second_loop(const struct world *world, int m, const float W[m], float Y[m])
{
	int left = share(world, world->rank, 0, m), right = share(world, world->rank + 1, 0, m);
	float Z[m];

	fill_vector(m, Z);
	for (int i = left; i < right; i++) {
		for (int j = 0; j < m; j += 20)
			Z[j] = (float)(W[j] * 0.025);
		Y[i] = Z[i] * (float)i;
	}
}

int main(int argc, char **argv)
{
	struct world world = start_world(&argc, &argv);
	int n = argument(argc, argv, 1, VECTOR2_SIZE, 1, VECTOR2_MOST);
	int m = argument(argc, argv, 2, VECTOR2_SIZE, 1, VECTOR2_MOST);
	float *B = allocate((size_t)n, sizeof(*B)), *Y = allocate((size_t)m, sizeof(*Y));
	float *X = allocate((size_t)n, sizeof(*X)), *W = allocate((size_t)m, sizeof(*W));
	int status = EXIT_SUCCESS;
	double started, spent;

	fill_vector(n, X);
	fill_vector(m, W);
	started = start_clock();
	first_loop(&world, n, X, B);
	second_loop(&world, m, W, Y);
	gather_shares(&world, B, 1, n, sizeof(*B));
	gather_shares(&world, Y, 0, m, sizeof(*Y));
	spent = common_clock() - started;
	if (world.rank == 0) {
		report_time("vector2", spent);
		print_vectors(n, m, B, Y);
		status = verdict("vector2", check_vectors(n, m, B, Y));
	}
	free(B);
	free(Y);
	free(X);
	free(W);
	MPI_Finalize();
	return status;
}
