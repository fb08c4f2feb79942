/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nbody.c - NBODY: bodies that attract each other, all pairs of them.
 *
 * Usage: nbody [bodies [iterations]]
 */
#include "../omp/wtime.h"
#include "nbody.h"

struct bodies {
	int n;
	double *mass;
	struct vector *places, *speeds;
};

static void fill(struct bodies *bodies)
{
#pragma omp parallel for
	for (int i = 0; i < bodies->n; i++) {
		bodies->mass[i] = nbody_mass(bodies->n, i);
		bodies->places[i] = nbody_place(i);
		bodies->speeds[i] = nbody_speed(i);
	}
}

static void iterate(struct bodies *bodies)
{
#pragma omp parallel
	{
#pragma omp for
		for (int i = 0; i < bodies->n; i++) {
			struct vector change = nbody_acceleration(
				bodies->n, bodies->mass, bodies->places, bodies->places[i]);

			bodies->speeds[i] = nbody_move(bodies->speeds[i], change);
		}
#pragma omp for
		for (int i = 0; i < bodies->n; i++)
			bodies->places[i] = nbody_move(bodies->places[i], bodies->speeds[i]);
	}
}

static int check(const struct bodies *bodies, int iterations)
{
	unsigned long sum = 0;
	double drift = 0;

#pragma omp parallel for reduction(+ : sum, drift)
	for (int i = 0; i < bodies->n; i++) {
		sum += nbody_fingerprint(bodies->places[i], i);
		drift += nbody_drift(bodies->n, iterations, i, bodies->places[i]);
	}
	return nbody_finish(bodies->n, iterations, sum, drift);
}

int main(int argc, char **argv)
{
	int n = argument(argc, argv, 1, NBODY_SIZE, 1, NBODY_MOST);
	int iterations = argument(argc, argv, 2, NBODY_ITERATIONS, 0, 1000000);
	struct bodies bodies = {n, allocate((size_t)n, sizeof(double)),
				allocate((size_t)n, sizeof(struct vector)),
				allocate((size_t)n, sizeof(struct vector))};
	double entered = common_clock(), started;
	int status;

	fill(&bodies);
	started = common_clock();
	report_part("nbody", "init", started - entered);
	for (int iteration = 0; iteration < iterations; iteration++)
		iterate(&bodies);
	report_time("nbody", common_clock() - started);
	status = check(&bodies, iterations);
	free(bodies.mass);
	free(bodies.places);
	free(bodies.speeds);
	return status;
}
