/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cg.c - CG: conjugate gradients for a sparse matrix (CSR), which is built in parallel.
 *
 * Usage: cg [points per side of the grid [iterations]]
 */
#include "../omp/wtime.h"
#include "cg.h"

struct vectors {
	double *x, *r, *p, *q;
};

/* The rows' lengths, then where they start, then their elements. */
static void build(struct matrix *A, int side)
{
	int n = side * side;

	A->start = allocate((size_t)n + 1, sizeof(*A->start));
#pragma omp parallel for
	for (int row = 0; row < n; row++)
		A->start[row + 1] = cg_row_length(side, row);
	for (int row = 0; row < n; row++)
		A->start[row + 1] += A->start[row];
	A->column = allocate((size_t)A->start[n], sizeof(*A->column));
	A->value = allocate((size_t)A->start[n], sizeof(*A->value));
#pragma omp parallel for
	for (int row = 0; row < n; row++)
		cg_row(side, row, A->column + A->start[row], A->value + A->start[row]);
}

/* x = 0; the square of the residual. */
static double begin(int n, struct vectors *v)
{
	double rho = 0;

#pragma omp parallel for reduction(+ : rho)
	for (int row = 0; row < n; row++) {
		v->x[row] = 0;
		v->r[row] = v->p[row] = cg_right_side(row);
		rho += v->r[row] * v->r[row];
	}
	return rho;
}

/* One iteration; the new square of the residual. */
static double iterate(int n, const struct matrix *A, struct vectors *v, double rho)
{
	double pq = 0, next = 0, alpha, beta;

#pragma omp parallel for reduction(+ : pq)
	for (int row = 0; row < n; row++) {
		v->q[row] = cg_product(A, row, v->p);
		pq += v->p[row] * v->q[row];
	}
	alpha = rho / pq;
#pragma omp parallel for reduction(+ : next)
	for (int row = 0; row < n; row++) {
		v->x[row] += alpha * v->p[row];
		v->r[row] -= alpha * v->q[row];
		next += v->r[row] * v->r[row];
	}
	beta = next / rho;
#pragma omp parallel for
	for (int row = 0; row < n; row++)
		v->p[row] = v->r[row] + beta * v->p[row];
	return next;
}

/* The square of the residual of x. */
static double residual(int n, const struct matrix *A, const double *x)
{
	double sum = 0;

#pragma omp parallel for reduction(+ : sum)
	for (int row = 0; row < n; row++) {
		double rest = cg_right_side(row) - cg_product(A, row, x);

		sum += rest * rest;
	}
	return sum;
}

int main(int argc, char **argv)
{
	int side = argument(argc, argv, 1, CG_SIZE, 1, CG_MOST);
	int iterations = argument(argc, argv, 2, CG_ITERATIONS, 0, 1000000);
	int n = side * side, status;
	struct vectors v = {
		allocate((size_t)n, sizeof(double)), allocate((size_t)n, sizeof(double)),
		allocate((size_t)n, sizeof(double)), allocate((size_t)n, sizeof(double))};
	double entered = common_clock(), started, start, rho;
	struct matrix A;

	build(&A, side);
	rho = start = begin(n, &v);
	started = common_clock();
	report_part("cg", "init", started - entered);
	for (int iteration = 0; iteration < iterations; iteration++)
		rho = iterate(n, &A, &v, rho);
	report_time("cg", common_clock() - started);
	status = cg_finish(side, iterations, start, rho, residual(n, &A, v.x));
	free(A.start);
	free(A.column);
	free(A.value);
	free(v.x);
	free(v.r);
	free(v.p);
	free(v.q);
	return status;
}
