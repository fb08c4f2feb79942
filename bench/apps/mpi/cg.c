/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cg.c - CG by hand in MPI; the OpenMP program is bench/apps/cg.c.
 *
 * Usage: mpirun -np ranks cg [points per side of the grid [iterations]]
 *
 * Each rank has rows FIRST .. END - 1 of the matrix and of the vectors, and of the vector that is
 * multiplied also what lies between the least and the greatest column of its rows.
 */
#include "../cg.h"
#include "team.h"

/* Elements FIRST .. END - 1 of a vector. */
struct range {
	int first, end;
};

struct part {
	const struct world *world;
	struct range own, held; /* rows, columns */
	struct range *out, *in; /* what goes to each rank and comes from it */
	MPI_Request *requests;	/* of as many messages as can be under way */
	struct matrix A;	/* columns count from held.first */
	double *x, *r, *p, *q;	/* p has all that is held */
};

static struct range common(struct range one, struct range other)
{
	struct range both = {one.first > other.first ? one.first : other.first,
			     one.end < other.end ? one.end : other.end};

	return both.first < both.end ? both : (struct range){0, 0};
}

/* The rows, with columns counted from held.first. */
static void build(struct part *part, int side)
{
	int rows = part->own.end - part->own.first, end = 0;
	size_t most = (size_t)rows * CG_ENTRIES;
	struct matrix *A = &part->A;

	A->start = allocate((size_t)rows + 1, sizeof(*A->start));
	A->column = allocate(most, sizeof(*A->column));
	A->value = allocate(most, sizeof(*A->value));
	part->held = part->own;
	for (int row = 0; row < rows; row++) {
		end += cg_row(side, part->own.first + row, A->column + end, A->value + end);
		A->start[row + 1] = end;
	}
	for (int entry = 0; entry < end; entry++) {
		if (A->column[entry] < part->held.first)
			part->held.first = A->column[entry];
		if (A->column[entry] >= part->held.end)
			part->held.end = A->column[entry] + 1;
	}
	for (int entry = 0; entry < end; entry++)
		A->column[entry] -= part->held.first;
}

/* Finds out what every rank needs of every other one's vector. */
static void plan_messages(struct part *part)
{
	size_t ranks = (size_t)part->world->ranks;
	struct range *own = allocate(ranks, sizeof(*own)), *held = allocate(ranks, sizeof(*held));

	part->out = allocate(ranks, sizeof(*part->out));
	part->in = allocate(ranks, sizeof(*part->in));
	part->requests = allocate(2 * ranks, sizeof(MPI_Request));
	MPI_Allgather(&part->own, 2, MPI_INT, own, 2, MPI_INT, MPI_COMM_WORLD);
	MPI_Allgather(&part->held, 2, MPI_INT, held, 2, MPI_INT, MPI_COMM_WORLD);
	for (int rank = 0; rank < part->world->ranks; rank++)
		if (rank != part->world->rank) {
			part->out[rank] = common(part->own, held[rank]);
			part->in[rank] = common(part->held, own[rank]);
		}
	free(own);
	free(held);
}

/* Brings in what is held of other ranks' parts of VECTOR. */
static void fetch(const struct part *part, double *vector)
{
	int count = 0;

	for (int rank = 0; rank < part->world->ranks; rank++) {
		struct range in = part->in[rank], out = part->out[rank];

		if (in.end > in.first)
			MPI_Irecv(vector + in.first - part->held.first, in.end - in.first,
				  MPI_DOUBLE, rank, 0, MPI_COMM_WORLD, &part->requests[count++]);
		if (out.end > out.first)
			MPI_Isend(vector + out.first - part->held.first, out.end - out.first,
				  MPI_DOUBLE, rank, 0, MPI_COMM_WORLD, &part->requests[count++]);
	}
	MPI_Waitall(count, part->requests, MPI_STATUSES_IGNORE);
}

static double sum_of_all(double own)
{
	double all;

	MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	return all;
}

static double begin(struct part *part)
{
	int rows = part->own.end - part->own.first;
	double rho = 0, *p;

	part->x = allocate((size_t)rows, sizeof(double));
	part->r = allocate((size_t)rows, sizeof(double));
	part->q = allocate((size_t)rows, sizeof(double));
	part->p = allocate((size_t)(part->held.end - part->held.first), sizeof(double));
	p = part->p + part->own.first - part->held.first;
	for (int row = 0; row < rows; row++) {
		part->r[row] = p[row] = cg_right_side(part->own.first + row);
		rho += p[row] * p[row];
	}
	return sum_of_all(rho);
}

static double iterate(struct part *part, double rho)
{
	int rows = part->own.end - part->own.first;
	double *p = part->p + part->own.first - part->held.first;
	double pq = 0, next = 0, alpha, beta;

	fetch(part, part->p);
	for (int row = 0; row < rows; row++) {
		part->q[row] = cg_product(&part->A, row, part->p);
		pq += p[row] * part->q[row];
	}
	alpha = rho / sum_of_all(pq);
	for (int row = 0; row < rows; row++) {
		part->x[row] += alpha * p[row];
		part->r[row] -= alpha * part->q[row];
		next += part->r[row] * part->r[row];
	}
	next = sum_of_all(next);
	beta = next / rho;
	for (int row = 0; row < rows; row++)
		p[row] = part->r[row] + beta * p[row];
	return next;
}

/* The square of the residual of x; p is no longer needed, and holds x. */
static double residual(struct part *part)
{
	int rows = part->own.end - part->own.first;
	double sum = 0;

	memcpy(part->p + part->own.first - part->held.first, part->x,
	       (size_t)rows * sizeof(double));
	fetch(part, part->p);
	for (int row = 0; row < rows; row++) {
		double rest =
			cg_right_side(part->own.first + row) - cg_product(&part->A, row, part->p);

		sum += rest * rest;
	}
	return sum_of_all(sum);
}

static void close_part(struct part *part)
{
	free(part->A.start);
	free(part->A.column);
	free(part->A.value);
	free(part->x);
	free(part->r);
	free(part->p);
	free(part->q);
	free(part->out);
	free(part->in);
	free(part->requests);
}

int main(int argc, char **argv)
{
	struct world world = start_world(&argc, &argv);
	int side = argument(argc, argv, 1, CG_SIZE, 1, CG_MOST);
	int iterations = argument(argc, argv, 2, CG_ITERATIONS, 0, 1000000);
	size_t n = (size_t)side * (size_t)side;
	struct part part = {.world = &world,
			    .own = {(int)part_start(&world, world.rank, n),
				    (int)part_start(&world, world.rank + 1, n)}};
	double entered = start_clock(), started, start, rho, rest;
	int status = EXIT_SUCCESS;

	build(&part, side);
	plan_messages(&part);
	rho = start = begin(&part);
	started = report_init(&world, "cg", entered);
	for (int iteration = 0; iteration < iterations; iteration++)
		rho = iterate(&part, rho);
	report_run(&world, "cg", started);
	rest = residual(&part);
	if (world.rank == 0)
		status = cg_finish(side, iterations, start, rho, rest);
	close_part(&part);
	MPI_Finalize();
	return status;
}
