/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jacobi2d.c - JACOBI2D by hand in MPI; the OpenMP program is bench/apps/jacobi2d.c.
 *
 * Usage: mpirun -np ranks jacobi2d [points per side [iterations]]
 */
#include "../jacobi2d.h"
#include "team.h"

/* Rows FIRST .. END - 1 of N; u[0] is the neighbour's row below FIRST, u[end - first + 1] END. */
struct part {
	const struct world *world;
	int n, first, end;
};

static void fill(const struct part *part, const double *line, double u[][part->n],
		 double v[][part->n])
{
	for (int i = part->first; i < part->end; i++)
		for (int j = 0; j < part->n; j++)
			u[i - part->first + 1][j] = v[i - part->first + 1][j] = line[i] * line[j];
}

static double iterate(const struct part *part, double from[][part->n], double to[][part->n])
{
	int rows = part->end - part->first, n = part->n;
	int top = part->first == 0 ? 2 : 1, bottom = part->end == n ? rows - 1 : rows;
	double change = 0;

	exchange_borders(part->world, from[0], from[1], from[rows], from[rows + 1], n);
	for (int i = top; i <= bottom; i++)
		for (int j = 1; j < n - 1; j++) {
			double next = jacobi2d_next(from[i - 1][j], from[i + 1][j], from[i][j - 1],
						    from[i][j + 1]);

			change = fmax(change, fabs(next - from[i][j]));
			to[i][j] = next;
		}
	MPI_Allreduce(MPI_IN_PLACE, &change, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
	return change;
}

static int check(const struct part *part, int iterations, const double *line, double u[][part->n],
		 double change)
{
	double factor = jacobi2d_factor(part->n, iterations);
	struct findings found = {0, 1};

	for (int i = part->first; i < part->end; i++)
		for (int j = 0; j < part->n; j++) {
			double value = u[i - part->first + 1][j];

			found.sum += fingerprint(value, (size_t)i * (size_t)part->n + (size_t)j);
			found.good &= jacobi2d_is_right(value, factor * (line[i] * line[j]));
		}
	found = findings_of_all(found);
	if (part->world->rank != 0)
		return EXIT_SUCCESS;
	jacobi2d_print(part->n, iterations, change, found.sum);
	return verdict("jacobi2d", found.good);
}

int main(int argc, char **argv)
{
	struct world world = start_world(&argc, &argv);
	int n = argument(argc, argv, 1, JACOBI2D_SIZE, 3, JACOBI2D_MOST);
	int iterations = argument(argc, argv, 2, JACOBI2D_ITERATIONS, 0, 1000000);
	struct part part = {&world, n, (int)part_start(&world, world.rank, (size_t)n),
			    (int)part_start(&world, world.rank + 1, (size_t)n)};
	size_t points = (size_t)(part.end - part.first + 2) * (size_t)n;
	double *line = jacobi2d_line(n);
	double(*u)[n] = allocate(points, sizeof(double)),
	(*v)[n] = allocate(points, sizeof(double));
	double entered = start_clock(), started, change = 0;
	int status;

	fill(&part, line, u, v);
	started = report_init(&world, "jacobi2d", entered);
	for (int iteration = 0; iteration < iterations; iteration++) {
		double(*last)[n] = u;

		change = iterate(&part, u, v);
		u = v;
		v = last;
	}
	report_run(&world, "jacobi2d", started);
	status = check(&part, iterations, line, u, change);
	free(line);
	free(u);
	free(v);
	MPI_Finalize();
	return status;
}
