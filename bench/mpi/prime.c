/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * prime.c - PRIME by hand in MPI (thesis A.1.2); the OpenMP program is bench/omp/prime.c.
 *
 * Usage: mpirun -np ranks prime [n]
 *
 * Mended: in the appendix neighbours both count the number between their shares.
 */
#include "share.h"
#include "../prime.h"

static int count_prime(const struct world *world, int n)
{
	int left = share(world, world->rank, 2, n + 1);
	int right = share(world, world->rank + 1, 2, n + 1);
	int i, j, prime, total = 0, result = 0;

	for (i = left; i < right; i++) {
		prime = 1;
		for (j = 2; j < i; j++) {
			if (i % j == 0) {
				prime = 0;
				break;
			}
		}
		total = total + prime;
	}
	MPI_Reduce(&total, &result, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
	MPI_Bcast(&result, 1, MPI_INT, 0, MPI_COMM_WORLD);
	return result;
}

int main(int argc, char **argv)
{
	struct world world = start_world(&argc, &argv);
	int n = argument(argc, argv, 1, PRIME_LIMIT, 1, PRIME_MOST);
	double started = start_clock();
	int total = count_prime(&world, n);
	double spent = common_clock() - started;
	int status = EXIT_SUCCESS;

	if (world.rank == 0) {
		report_time("prime", spent);
		print_count(n, total);
		status = verdict("prime", check_count(n, total));
	}
	MPI_Finalize();
	return status;
}
