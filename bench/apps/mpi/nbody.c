/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nbody.c - NBODY by hand in MPI; the OpenMP program is bench/apps/nbody.c.
 *
 * Usage: mpirun -np ranks nbody [bodies [iterations]]
 */
#include "../nbody.h"
#include "team.h"

/* All bodies' masses and places; the speeds of FIRST .. END - 1. */
struct bodies {
	const struct world *world;
	int n, first, end;
	double *mass;
	struct vector *places, *speeds;
};

static void iterate(struct bodies *bodies)
{
	for (int i = bodies->first; i < bodies->end; i++) {
		struct vector *speed = &bodies->speeds[i - bodies->first];

		*speed = nbody_move(*speed, nbody_acceleration(bodies->n, bodies->mass,
							       bodies->places, bodies->places[i]));
	}
	for (int i = bodies->first; i < bodies->end; i++)
		bodies->places[i] =
			nbody_move(bodies->places[i], bodies->speeds[i - bodies->first]);
	gather_shares(bodies->world, bodies->places, 0, bodies->n, sizeof(*bodies->places));
}

static int check(const struct bodies *bodies, int iterations)
{
	struct findings found = {0, 1};
	double drift = 0;

	for (int i = bodies->first; i < bodies->end; i++) {
		found.sum += nbody_fingerprint(bodies->places[i], i);
		drift += nbody_drift(bodies->n, iterations, i, bodies->places[i]);
	}
	found = findings_of_all(found);
	MPI_Allreduce(MPI_IN_PLACE, &drift, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	if (bodies->world->rank != 0)
		return EXIT_SUCCESS;
	return nbody_finish(bodies->n, iterations, found.sum, drift);
}

int main(int argc, char **argv)
{
	struct world world = start_world(&argc, &argv);
	int n = argument(argc, argv, 1, NBODY_SIZE, 1, NBODY_MOST);
	int iterations = argument(argc, argv, 2, NBODY_ITERATIONS, 0, 1000000);
	struct bodies bodies = {&world,
				n,
				share(&world, world.rank, 0, n),
				share(&world, world.rank + 1, 0, n),
				allocate((size_t)n, sizeof(double)),
				allocate((size_t)n, sizeof(struct vector)),
				NULL};
	double entered = start_clock(), started;
	int status;

	bodies.speeds = allocate((size_t)(bodies.end - bodies.first) + 1, sizeof(struct vector));
	for (int i = 0; i < n; i++) {
		bodies.mass[i] = nbody_mass(n, i);
		bodies.places[i] = nbody_place(i);
	}
	for (int i = bodies.first; i < bodies.end; i++)
		bodies.speeds[i - bodies.first] = nbody_speed(i);
	started = report_init(&world, "nbody", entered);
	for (int iteration = 0; iteration < iterations; iteration++)
		iterate(&bodies);
	report_run(&world, "nbody", started);
	status = check(&bodies, iterations);
	free(bodies.mass);
	free(bodies.places);
	free(bodies.speeds);
	MPI_Finalize();
	return status;
}
