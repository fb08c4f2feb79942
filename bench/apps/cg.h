/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cg.h - the matrix of CG, the five-point Laplacian of a square grid as a sparse one (CSR), the
 * right-hand side, and the check of what the iterations leave.
 */
#ifndef BENCH_APPS_CG_H
#define BENCH_APPS_CG_H

#include <math.h>
#include "app.h"

#define CG_SIZE	      300 /* points per side of the grid */
#define CG_MOST	      20000
#define CG_ITERATIONS 20
#define CG_ENTRIES    5 /* at most, in a row */

/* Elements start[row] .. start[row + 1] - 1 are those of a row. */
struct matrix {
	int *start;
	int *column;
	double *value;
};

/* Writes ROW's columns, in their order, and values; returns how many there are. */
static inline int cg_row(int side, int row, int column[CG_ENTRIES], double value[CG_ENTRIES])
{
	int i = row / side, j = row % side, count = 0;
	int is_there[CG_ENTRIES] = {i > 0, j > 0, 1, j < side - 1, i < side - 1};
	int distance[CG_ENTRIES] = {-side, -1, 0, 1, side};

	for (int entry = 0; entry < CG_ENTRIES; entry++)
		if (is_there[entry]) {
			column[count] = row + distance[entry];
			value[count++] = distance[entry] ? -1 : 4;
		}
	return count;
}

static inline int cg_row_length(int side, int row)
{
	int column[CG_ENTRIES];
	double value[CG_ENTRIES];

	return cg_row(side, row, column, value);
}

/* What a row of the matrix is, times VECTOR, which its columns are counted in. */
static inline double cg_product(const struct matrix *A, int row, const double *vector)
{
	double sum = 0;

	for (int entry = A->start[row]; entry < A->start[row + 1]; entry++)
		sum += A->value[entry] * vector[A->column[entry]];
	return sum;
}

static inline double cg_right_side(int row)
{
	return scattered((unsigned int)row);
}

/*
 * RHO is the square of the residual as the iterations carry it along, RESIDUAL as it is, START at
 * the beginning.  Their last digits depend on who added up what.
 */
static inline int cg_finish(int side, int iterations, double start, double rho, double residual)
{
	printf("cg: side %d, iterations %d, residual %.8e\n", side, iterations, sqrt(rho));
	return verdict("cg", fabs(sqrt(residual) - sqrt(rho)) < 1e-10 * sqrt(start));
}

#endif
