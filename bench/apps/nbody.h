/* SPDX-License-Identifier: GPL-2.0-or-later */
/* nbody.h - the bodies of NBODY, the force on one of them, and what their motion must keep. */
#ifndef BENCH_APPS_NBODY_H
#define BENCH_APPS_NBODY_H

#include <math.h>
#include "app.h"

#define NBODY_SIZE	 2000
#define NBODY_MOST	 1000000
#define NBODY_ITERATIONS 5
#define NBODY_STEP	 1e-3
#define NBODY_SOFTENING	 1e-2 /* keeps bodies that meet from flying apart */

struct vector {
	double x, y, z;
};

static inline struct vector nbody_scattered(int i, unsigned int seed)
{
	unsigned int key = 3 * (unsigned int)i + seed;

	return (struct vector){scattered(key), scattered(key + 1), scattered(key + 2)};
}

static inline struct vector nbody_place(int i)
{
	return nbody_scattered(i, 1);
}

static inline struct vector nbody_speed(int i)
{
	return nbody_scattered(i, 0x40000000U);
}

static inline double nbody_mass(int n, int i)
{
	return (0.5 + scattered(~(unsigned int)i)) / n;
}

/* What all N bodies do to the one at PLACE. */
static inline struct vector nbody_acceleration(int n, const double *mass,
					       const struct vector *places, struct vector place)
{
	struct vector sum = {0, 0, 0};

	for (int j = 0; j < n; j++) {
		double x = places[j].x - place.x, y = places[j].y - place.y;
		double z = places[j].z - place.z;
		double square = x * x + y * y + z * z + NBODY_SOFTENING;
		double weight = mass[j] / (square * sqrt(square));

		sum.x += weight * x;
		sum.y += weight * y;
		sum.z += weight * z;
	}
	return sum;
}

/* VALUE moved by CHANGE for one step of time. */
static inline struct vector nbody_move(struct vector value, struct vector change)
{
	return (struct vector){value.x + NBODY_STEP * change.x, value.y + NBODY_STEP * change.y,
			       value.z + NBODY_STEP * change.z};
}

static inline unsigned long nbody_fingerprint(struct vector place, int i)
{
	size_t at = 3 * (size_t)i;

	return fingerprint(place.x, at) + fingerprint(place.y, at + 1) +
	       fingerprint(place.z, at + 2);
}

/*
 * How far body I is from where it would be without forces, times its mass: forces are mutual, so
 * the sum over all bodies is 0.
 */
static inline double nbody_drift(int n, int iterations, int i, struct vector place)
{
	struct vector from = nbody_place(i), speed = nbody_speed(i);
	double time = NBODY_STEP * iterations;

	return nbody_mass(n, i) * (place.x - from.x - time * speed.x + place.y - from.y -
				   time * speed.y + place.z - from.z - time * speed.z);
}

static inline int nbody_finish(int n, int iterations, unsigned long sum, double drift)
{
	printf("nbody: n %d, iterations %d, sum %016lx\n", n, iterations, sum);
	return verdict("nbody", fabs(drift) < 1e-12);
}

#endif
