/* SPDX-License-Identifier: GPL-2.0-or-later */
/* nbody.c - bodies that attract each other: structures, square roots, a barrier between phases. */
#include <math.h>
#include <stdio.h>

#define N 48

struct body {
	double mass, place[3], speed[3];
};

static struct body bodies[N];

static void attract(struct body *body, double step)
{
	for (int i = 0; i < N; i++) {
		double distance = 0.01, offset[3];

		for (int d = 0; d < 3; d++) {
			offset[d] = bodies[i].place[d] - body->place[d];
			distance += offset[d] * offset[d];
		}
		for (int d = 0; d < 3; d++)
			body->speed[d] +=
				step * bodies[i].mass * offset[d] / (distance * sqrt(distance));
	}
}

int main(void)
{
	double energy = 0;

	for (int i = 0; i < N; i++) {
		bodies[i].mass = 1 + i % 3;
		for (int d = 0; d < 3; d++)
			bodies[i].place[d] = sin(i * (d + 1.0)) * 10;
	}
#pragma omp parallel
	for (int step = 0; step < 20; step++) {
#pragma omp for
		for (int i = 0; i < N; i++)
			attract(&bodies[i], 0.01);
#pragma omp for
		for (int i = 0; i < N; i++)
			for (int d = 0; d < 3; d++)
				bodies[i].place[d] += 0.01 * bodies[i].speed[d];
	}
#pragma omp parallel for reduction(+ : energy)
	for (int i = 0; i < N; i++)
		for (int d = 0; d < 3; d++)
			energy += bodies[i].mass * bodies[i].speed[d] * bodies[i].speed[d] / 2;
	printf("%.9f\n", energy);
	for (int i = 0; i < N; i += 9)
		printf("%a %a %a\n", bodies[i].place[0], bodies[i].speed[1], bodies[i].place[2]);
	return 0;
}
