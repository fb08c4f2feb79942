/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pi.c - PI by hand in MPI (thesis A.1.3); the OpenMP program is bench/omp/pi.c.
 *
 * Usage: mpirun -np ranks pi [steps]
 *
 * Mended: the appendix sums up but never multiplies the sum by the step.
 */
#include "share.h"
#include "../pi.h"

static double integrate(const struct world *world, int steps)
{
	int left = share(world, world->rank, 0, steps);
	int right = share(world, world->rank + 1, 0, steps);
	double step = 1.0 / (double)steps, sum = 0.0, result = 0.0;

	for (int i = left; i < right; i++) {
		double x = (i + 0.5) * step;
		double aux = 4.0 / (1.0 + x * x);

		sum += aux;
	}
	MPI_Reduce(&sum, &result, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
	MPI_Bcast(&result, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
	return step * result;
}

int main(int argc, char **argv)
{
	struct world world = start_world(&argc, &argv);
	int steps = argument(argc, argv, 1, PI_STEPS, 1, PI_MOST);
	double started = start_clock();
	double pi = integrate(&world, steps), spent = common_clock() - started;
	int status = EXIT_SUCCESS;

	if (world.rank == 0) {
		report_time("pi", spent);
		print_pi(steps, pi);
		status = verdict("pi", check_pi(steps, pi));
	}
	MPI_Finalize();
	return status;
}
