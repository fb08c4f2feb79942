/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mamult2d.c - MAMULT2D by hand in MPI (thesis A.1.1); the OpenMP program is bench/omp/mamult2d.c.
 *
 * Usage: mpirun -np ranks mamult2d [n]
 */
#include "share.h"
#include "../mamult2d.h"

static void matrix_mult(const struct world *world, int n, int A[n][n], int B[n][n], int C[n][n])
{
	int left = share(world, world->rank, 0, n), right = share(world, world->rank + 1, 0, n);

	for (int i = left; i < right; i++)
		for (int j = 0; j < n; j++)
			for (int k = 0; k < n; k++)
				C[i][j] += A[i][k] * B[k][j];
	gather_shares(world, C, 0, n, (size_t)n * sizeof(int));
}

int main(int argc, char **argv)
{
	struct world world = start_world(&argc, &argv);
	int n = argument(argc, argv, 1, MAMULT2D_SIZE, 1, MAMULT2D_MOST);
	size_t elements = (size_t)n * (size_t)n;
	int(*A)[n] = allocate(elements, sizeof(int));
	int(*B)[n] = allocate(elements, sizeof(int));
	int(*C)[n] = allocate(elements, sizeof(int));
	int status = EXIT_SUCCESS;
	double started, spent;

	fill_matrices(n, A, B);
	started = start_clock();
	matrix_mult(&world, n, A, B, C);
	spent = common_clock() - started;
	if (world.rank == 0) {
		report_time("mamult2d", spent);
		print_product(n, C);
		status = verdict("mamult2d", check_product(n, A, B, C));
	}
	free(A);
	free(B);
	free(C);
	MPI_Finalize();
	return status;
}
