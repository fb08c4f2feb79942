/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * p2p.c - P2P by hand in MPI; the OpenMP program is bench/apps/p2p.c.
 *
 * Usage: mpirun -np ranks p2p [rows [columns [iterations]]]
 */
#include "../p2p.h"
#include "team.h"

/* Columns FIRST .. END - 1; column 0 of the points is the neighbour's to the left of FIRST. */
struct grid {
	const struct world *world;
	int rows, columns, first, end;
	double *points;
};

static double *point(const struct grid *grid, int i, int j)
{
	size_t held = (size_t)(grid->end - grid->first) + 1;

	return &grid->points[(size_t)i * held + (size_t)(j - grid->first + 1)];
}

static void fill(struct grid *grid)
{
	for (int i = 0; i < grid->rows; i++)
		for (int j = grid->first > 0 ? grid->first - 1 : 0; j < grid->end; j++)
			*point(grid, i, j) = p2p_start(i, j);
}

static void iterate(struct grid *grid)
{
	int rank = grid->world->rank, last = grid->world->ranks - 1;
	int first = grid->first > 0 ? grid->first : 1;
	double corner;

	for (int i = 1; i < grid->rows; i++) {
		if (rank > 0)
			MPI_Recv(point(grid, i, grid->first - 1), 1, MPI_DOUBLE, rank - 1, 0,
				 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		for (int j = first; j < grid->end; j++)
			*point(grid, i, j) = *point(grid, i - 1, j) + *point(grid, i, j - 1) -
					     *point(grid, i - 1, j - 1);
		if (rank < last)
			MPI_Send(point(grid, i, grid->end - 1), 1, MPI_DOUBLE, rank + 1, 0,
				 MPI_COMM_WORLD);
	}
	corner = -*point(grid, grid->rows - 1, grid->end - 1);
	MPI_Bcast(&corner, 1, MPI_DOUBLE, last, MPI_COMM_WORLD);
	if (grid->first <= 1)
		*point(grid, 0, 0) = corner;
}

static int check(const struct grid *grid, int iterations)
{
	int rows = grid->rows, columns = grid->columns;
	struct findings found = {0, 1};

	for (int i = 0; i < rows; i++)
		for (int j = grid->first; j < grid->end; j++) {
			double value = *point(grid, i, j);

			found.sum += fingerprint(value, (size_t)i * (size_t)columns + (size_t)j);
			found.good &= value == p2p_result(rows, columns, iterations, i, j);
		}
	found = findings_of_all(found);
	if (grid->world->rank != 0)
		return EXIT_SUCCESS;
	p2p_print(rows, columns, iterations, found.sum);
	return verdict("p2p", found.good);
}

int main(int argc, char **argv)
{
	struct world world = start_world(&argc, &argv);
	int rows = argument(argc, argv, 1, P2P_SIZE, 2, P2P_MOST);
	int columns = argument(argc, argv, 2, rows, 2, P2P_MOST);
	int iterations = argument(argc, argv, 3, P2P_ITERATIONS, 0, 1000000);
	struct grid grid = {&world,
			    rows,
			    columns,
			    (int)part_start(&world, world.rank, (size_t)columns),
			    (int)part_start(&world, world.rank + 1, (size_t)columns),
			    NULL};
	double entered = start_clock(), started;
	int status;

	grid.points = allocate((size_t)rows * (size_t)(grid.end - grid.first + 1), sizeof(double));
	fill(&grid);
	started = report_init(&world, "p2p", entered);
	for (int iteration = 0; iteration < iterations; iteration++)
		iterate(&grid);
	report_run(&world, "p2p", started);
	status = check(&grid, iterations);
	free(grid.points);
	MPI_Finalize();
	return status;
}
