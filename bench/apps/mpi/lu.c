/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lu.c - LU by hand in MPI; the OpenMP program is bench/apps/lu.c.
 *
 * Usage: mpirun -np ranks lu [rows]
 *
 * Rank r has the rows r, r + ranks, r + 2 ranks ...; each row is broadcast when it is the pivot.
 */
#include "../lu.h"
#include "team.h"

static void fill(const struct world *world, int n, double A[][n])
{
	for (int i = world->rank; i < n; i += world->ranks)
		for (int j = 0; j < n; j++)
			A[i / world->ranks][j] = lu_start(n, i, j);
}

static void factor(const struct world *world, int n, double A[][n], double *pivot)
{
	for (int k = 0; k < n - 1; k++) {
		int owner = k % world->ranks;
		double *row = owner == world->rank ? A[k / world->ranks] : pivot;

		MPI_Bcast(row + k, n - k, MPI_DOUBLE, owner, MPI_COMM_WORLD);
		/* The first own row below row K. */
		for (int i = k + 1 +
			     (world->rank + world->ranks - (k + 1) % world->ranks) % world->ranks;
		     i < n; i += world->ranks)
			lu_eliminate(n, k, row, A[i / world->ranks]);
	}
}

static int check(const struct world *world, int n, double A[][n])
{
	double *upper = allocate((size_t)n, sizeof(*upper));
	struct findings found = {0, 1};

	for (int i = world->rank; i < n; i += world->ranks)
		upper[i] = lu_upper(n, i, A[i / world->ranks]);
	MPI_Allreduce(MPI_IN_PLACE, upper, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	for (int i = world->rank; i < n; i += world->ranks) {
		found.sum += lu_fingerprint(n, i, A[i / world->ranks]);
		found.good &= lu_is_right(n, i, A[i / world->ranks], upper);
	}
	free(upper);
	found = findings_of_all(found);
	return world->rank == 0 ? lu_finish(n, found.sum, found.good) : EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
	struct world world = start_world(&argc, &argv);
	int n = argument(argc, argv, 1, LU_SIZE, 1, LU_MOST);
	int rows = (n + world.ranks - 1) / world.ranks;
	double(*A)[n] = allocate((size_t)rows * (size_t)n, sizeof(double));
	double *pivot = allocate((size_t)n, sizeof(*pivot));
	double entered = start_clock(), started;
	int status;

	fill(&world, n, A);
	started = report_init(&world, "lu", entered);
	factor(&world, n, A, pivot);
	report_run(&world, "lu", started);
	status = check(&world, n, A);
	free(A);
	free(pivot);
	MPI_Finalize();
	return status;
}
