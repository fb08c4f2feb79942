/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stencil1d.c - STENCIL1D by hand in MPI; the OpenMP program is bench/apps/stencil1d.c.
 *
 * Usage: mpirun -np ranks stencil1d [megabytes of each array [iterations]]
 */
#include "../stencil1d.h"
#include "team.h"

/* Elements FIRST .. END - 1 of N; u[0] is the neighbour below FIRST, u[end - first + 1] END. */
struct part {
	const struct world *world;
	size_t n, first, end;
};

static void fill(const struct part *part, double *u, double *v)
{
	for (size_t i = part->first; i < part->end; i++) {
		size_t at = i - part->first + 1;

		u[at] = v[at] = stencil1d_start(part->n, i);
	}
}

static void smooth(const struct part *part, double *from, double *to)
{
	size_t length = part->end - part->first;
	size_t left = part->first == 0 ? 2 : 1;
	size_t right = part->end == part->n ? length - 1 : length;

	exchange_borders(part->world, from, from + 1, from + length, from + length + 1, 1);
	for (size_t i = left; i <= right; i++)
		to[i] = stencil1d_next(from[i - 1], from[i], from[i + 1]);
}

static int check(const struct part *part, int iterations, const double *u)
{
	double factor = stencil1d_factor(part->n, iterations);
	struct findings found = {0, 1};

	for (size_t i = part->first; i < part->end; i++) {
		double value = u[i - part->first + 1];

		found.sum += fingerprint(value, i);
		found.good &= stencil1d_is_right(part->n, i, factor, value);
	}
	found = findings_of_all(found);
	if (part->world->rank != 0)
		return EXIT_SUCCESS;
	stencil1d_print(part->n, iterations, found.sum);
	return verdict("stencil1d", found.good);
}

int main(int argc, char **argv)
{
	struct world world = start_world(&argc, &argv);
	int megabytes = argument(argc, argv, 1, STENCIL1D_MEGABYTES, 1, STENCIL1D_MOST_MEGABYTES);
	int iterations = argument(argc, argv, 2, STENCIL1D_ITERATIONS, 0, 1000000);
	size_t n = stencil1d_length(megabytes);
	struct part part = {&world, n, part_start(&world, world.rank, n),
			    part_start(&world, world.rank + 1, n)};
	size_t held = part.end - part.first + 2;
	double *u = allocate(held, sizeof(*u)), *v = allocate(held, sizeof(*v));
	double entered = start_clock(), started;
	int status;

	fill(&part, u, v);
	started = report_init(&world, "stencil1d", entered);
	for (int iteration = 0; iteration < iterations; iteration++) {
		double *last = u;

		smooth(&part, u, v);
		u = v;
		v = last;
	}
	report_run(&world, "stencil1d", started);
	status = check(&part, iterations, u);
	free(u);
	free(v);
	MPI_Finalize();
	return status;
}
