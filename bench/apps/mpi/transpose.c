/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * transpose.c - TRANSPOSE by hand in MPI; the OpenMP program is bench/apps/transpose.c.
 *
 * Usage: mpirun -np ranks transpose [rows [iterations]]
 *
 * Each rank has the same rows of both matrices, and sends each other one the block that it needs.
 */
#include "../transpose.h"
#include "team.h"

/* Rows FIRST .. END - 1 of N, and blocks to send and to receive, one for each rank. */
struct part {
	const struct world *world;
	int n, first, end;
	double *out, *in;
	int *counts, *starts;
};

static int start_of(const struct part *part, int rank)
{
	return (int)part_start(part->world, rank, (size_t)part->n);
}

static void open_part(struct part *part, const struct world *world, int n)
{
	size_t ranks = (size_t)world->ranks, held;

	*part = (struct part){.world = world, .n = n};
	part->first = start_of(part, world->rank);
	part->end = start_of(part, world->rank + 1);
	held = (size_t)(part->end - part->first) * (size_t)n;
	part->out = allocate(held, sizeof(*part->out));
	part->in = allocate(held, sizeof(*part->in));
	part->counts = allocate(ranks, sizeof(*part->counts));
	part->starts = allocate(ranks, sizeof(*part->starts));
	for (int rank = 0; rank < world->ranks; rank++) {
		int columns = start_of(part, rank + 1) - start_of(part, rank);

		part->counts[rank] = columns * (part->end - part->first);
		part->starts[rank] = start_of(part, rank) * (part->end - part->first);
	}
}

static void close_part(struct part *part)
{
	free(part->out);
	free(part->in);
	free(part->counts);
	free(part->starts);
}

/* The block of RANK's columns, turned over: to[column][row], ROWS long, from[row][column]. */
static void turn_block(int rows, int n, int left, int right, double from[][n], double to[][rows])
{
	for (int top = 0; top < rows; top += TRANSPOSE_TILE)
		for (int j = left; j < right; j++)
			for (int i = top; i < transpose_least(top + TRANSPOSE_TILE, rows); i++)
				to[j - left][i] = from[i][j];
}

static void add_transposed(const struct part *part, double A[][part->n], double B[][part->n])
{
	int rows = part->end - part->first, n = part->n;

	for (int rank = 0; rank < part->world->ranks; rank++)
		turn_block(rows, n, start_of(part, rank), start_of(part, rank + 1), A,
			   (double(*)[rows])(part->out + part->starts[rank]));
	MPI_Alltoallv(part->out, part->counts, part->starts, MPI_DOUBLE, part->in, part->counts,
		      part->starts, MPI_DOUBLE, MPI_COMM_WORLD);
	for (int rank = 0; rank < part->world->ranks; rank++) {
		int left = start_of(part, rank), columns = start_of(part, rank + 1) - left;
		double(*block)[columns] = (double(*)[columns])(part->in + part->starts[rank]);

		for (int i = 0; i < rows; i++)
			for (int j = 0; j < columns; j++)
				B[i][left + j] += block[i][j];
	}
	for (int i = 0; i < rows; i++)
		for (int j = 0; j < n; j++)
			A[i][j] += 1;
}

static int check(const struct part *part, int iterations, double B[][part->n])
{
	struct findings found = {0, 1};
	int n = part->n;

	for (int i = part->first; i < part->end; i++)
		for (int j = 0; j < n; j++) {
			double value = B[i - part->first][j];

			found.sum += fingerprint(value, (size_t)i * (size_t)n + (size_t)j);
			found.good &= value == transpose_result(n, iterations, i, j);
		}
	found = findings_of_all(found);
	if (part->world->rank != 0)
		return EXIT_SUCCESS;
	transpose_print(n, iterations, found.sum);
	return verdict("transpose", found.good);
}

int main(int argc, char **argv)
{
	struct world world = start_world(&argc, &argv);
	int n = argument(argc, argv, 1, TRANSPOSE_SIZE, 1, TRANSPOSE_MOST);
	int iterations = argument(argc, argv, 2, TRANSPOSE_ITERATIONS, 0, 1000);
	double entered, started;
	struct part part;
	size_t elements;
	double(*A)[n], (*B)[n];
	int status;

	open_part(&part, &world, n);
	elements = (size_t)(part.end - part.first) * (size_t)n;
	A = allocate(elements, sizeof(double));
	B = allocate(elements, sizeof(double));
	entered = start_clock();
	for (int i = part.first; i < part.end; i++)
		for (int j = 0; j < n; j++) {
			A[i - part.first][j] = transpose_start(n, i, j);
			B[i - part.first][j] = 0;
		}
	started = report_init(&world, "transpose", entered);
	for (int iteration = 0; iteration < iterations; iteration++)
		add_transposed(&part, A, B);
	report_run(&world, "transpose", started);
	status = check(&part, iterations, B);
	free(A);
	free(B);
	close_part(&part);
	MPI_Finalize();
	return status;
}
