/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gauss.c - solves a dense system of linear equations by Gauss elimination with pivoting.
 *
 * Usage: gauss [unknowns]      Ends with 1 if the solution does not satisfy the equations.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static double coefficient(int row, int column)
{
	return (double)((row * 37 + column * 91) % 101) / 101 + (row == column ? 3 : 0);
}

/* The row from COLUMN on whose element in COLUMN is the largest; the first of equal ones. */
static int find_pivot(int n, double matrix[n][n + 1], int column)
{
	double largest = -1;
	int at = column;

#pragma omp parallel
	{
		double mine = -1;
		int mine_at = column;

#pragma omp for nowait
		for (int row = column; row < n; row++)
			if (fabs(matrix[row][column]) > mine) {
				mine = fabs(matrix[row][column]);
				mine_at = row;
			}
#pragma omp critical
		if (mine > largest || (mine == largest && mine_at < at)) {
			largest = mine;
			at = mine_at;
		}
	}
	return at;
}

static void swap_rows(int n, double matrix[n][n + 1], int a, int b)
{
	for (int column = 0; column <= n; column++) {
		double kept = matrix[a][column];

		matrix[a][column] = matrix[b][column];
		matrix[b][column] = kept;
	}
}

static void solve(int n, double matrix[n][n + 1], double *x)
{
	for (int k = 0; k < n; k++) {
		swap_rows(n, matrix, k, find_pivot(n, matrix, k));
#pragma omp parallel for schedule(static)
		for (int row = k + 1; row < n; row++) {
			double factor = matrix[row][k] / matrix[k][k];

			for (int column = k; column <= n; column++)
				matrix[row][column] -= factor * matrix[k][column];
		}
	}
	for (int row = n - 1; row >= 0; row--) {
		x[row] = matrix[row][n];
		for (int column = row + 1; column < n; column++)
			x[row] -= matrix[row][column] * x[column];
		x[row] /= matrix[row][row];
	}
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 200;
	double(*matrix)[n + 1] = malloc(sizeof(double[n][n + 1])), *x = malloc(sizeof(double[n]));
	double worst = 0;

#pragma omp parallel for
	for (int row = 0; row < n; row++) {
		for (int column = 0; column < n; column++)
			matrix[row][column] = coefficient(row, column);
		matrix[row][n] = row % 7;
	}
	solve(n, matrix, x);
#pragma omp parallel for reduction(max : worst)
	for (int row = 0; row < n; row++) {
		double left = -(row % 7);

		for (int column = 0; column < n; column++)
			left += coefficient(row, column) * x[column];
		worst = fmax(worst, fabs(left));
	}
	printf("%d unknowns, %s\n", n, worst < 1e-9 ? "solved" : "NOT solved");
	free(matrix);
	free(x);
	return worst < 1e-9 ? 0 : 1;
}
