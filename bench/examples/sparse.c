/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sparse.c - conjugate gradients with a sparse matrix in compressed rows.
 *
 * Usage: sparse [points per side]      Ends with 1 if the solution is not the known one.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct sparse {
	int rows;
	int *starts; /* rows + 1 positions in the other two */
	int *columns;
	double *values;
};

/* The five-point equations of a square. */
static struct sparse make_matrix(int side)
{
	static const int neighbours[5][2] = {{0, 0}, {-1, 0}, {1, 0}, {0, -1}, {0, 1}};
	struct sparse matrix = {side * side, NULL, NULL, NULL};
	int used = 0;

	matrix.starts = malloc(((size_t)matrix.rows + 1) * sizeof(int));
	matrix.columns = malloc(5 * (size_t)matrix.rows * sizeof(int));
	matrix.values = malloc(5 * (size_t)matrix.rows * sizeof(double));
	for (int row = 0; row < matrix.rows; row++) {
		matrix.starts[row] = used;
		for (int k = 0; k < 5; k++) {
			int x = row % side + neighbours[k][0], y = row / side + neighbours[k][1];

			if (x < 0 || y < 0 || x >= side || y >= side)
				continue;
			matrix.columns[used] = y * side + x;
			matrix.values[used++] = k ? -1 : 4.5;
		}
	}
	matrix.starts[matrix.rows] = used;
	return matrix;
}

static void multiply(const struct sparse *matrix, const double *x, double *y)
{
#pragma omp parallel for schedule(guided)
	for (int row = 0; row < matrix->rows; row++) {
		double sum = 0;

		for (int k = matrix->starts[row]; k < matrix->starts[row + 1]; k++)
			sum += matrix->values[k] * x[matrix->columns[k]];
		y[row] = sum;
	}
}

static double dot(const double *x, const double *y, int n)
{
	double sum = 0;

#pragma omp parallel for reduction(+ : sum)
	for (int i = 0; i < n; i++)
		sum += x[i] * y[i];
	return sum;
}

/* y = x * factor + z */
static void combine(double *y, const double *x, double factor, const double *z, int n)
{
#pragma omp parallel for
	for (int i = 0; i < n; i++)
		y[i] = x[i] * factor + z[i];
}

static int solve(const struct sparse *matrix, const double *right, double *x)
{
	int n = matrix->rows, steps = 0;
	double *vectors = malloc(3 * (size_t)n * sizeof(*vectors));
	double *residual = vectors, *direction = vectors + n, *product = vectors + 2 * n, old, new;

	for (int i = 0; i < n; i++) {
		x[i] = 0;
		residual[i] = direction[i] = right[i];
	}
	for (new = dot(residual, residual, n); new > 1e-20; steps++) {
		double length;

		multiply(matrix, direction, product);
		length = new / dot(direction, product, n);
		combine(x, direction, length, x, n);
		combine(residual, product, -length, residual, n);
		old = new;
		new = dot(residual, residual, n);
		combine(direction, direction, new / old, residual, n);
	}
	free(vectors);
	return steps;
}

int main(int argc, char **argv)
{
	struct sparse matrix = make_matrix(argc > 1 ? atoi(argv[1]) : 30);
	int n = matrix.rows, steps;
	double *known = malloc((size_t)n * sizeof(*known)),
	       *right = malloc((size_t)n * sizeof(*right));
	double *x = malloc((size_t)n * sizeof(*x)), worst = 0;

	for (int i = 0; i < n; i++)
		known[i] = sin(i) * 10;
	multiply(&matrix, known, right);
	steps = solve(&matrix, right, x);
	for (int i = 0; i < n; i++)
		worst = fmax(worst, fabs(x[i] - known[i]));
	printf("%d unknowns, %s\n", n, worst < 1e-8 && steps < n ? "solved" : "NOT solved");
	free(matrix.starts);
	free(matrix.columns);
	free(matrix.values);
	free(known);
	free(right);
	free(x);
	return worst < 1e-8 && steps < n ? 0 : 1;
}
