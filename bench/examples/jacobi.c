/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jacobi.c - heat in a square plate: five-point Jacobi iteration until nothing changes any more.
 *
 * Usage: jacobi [points per side]      Ends with 1 if the result is not the known solution.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define TOLERANCE 1e-7

/* Harmonic, and so the exact solution of the five-point equations. */
static double exact(int i, int j, int n)
{
	double x = (double)i / (n - 1), y = (double)j / (n - 1);

	return x * x - y * y + x * y;
}

/* One sweep from OLD to NEW; returns the largest change. */
static double sweep(int n, double old[n][n], double new[n][n])
{
	double change = 0;

#pragma omp parallel for reduction(max : change)
	for (int i = 1; i < n - 1; i++)
		for (int j = 1; j < n - 1; j++) {
			new[i][j] =
				(old[i - 1][j] + old[i + 1][j] + old[i][j - 1] + old[i][j + 1]) / 4;
			change = fmax(change, fabs(new[i][j] - old[i][j]));
		}
	return change;
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 40, sweeps = 0;
	double(*old)[n] = malloc(sizeof(double[n][n])), (*new)[n] = malloc(sizeof(double[n][n]));
	double change, worst = 0;

#pragma omp parallel for collapse(2)
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++) {
			int inside = i > 0 && j > 0 && i < n - 1 && j < n - 1;

			old[i][j] = new[i][j] = inside ? 0 : exact(i, j, n);
		}
	do {
		double(*kept)[n] = old;

		change = sweep(n, old, new);
		old = new;
		new = kept;
		sweeps++;
	} while (change > TOLERANCE);
#pragma omp parallel for reduction(max : worst)
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++)
			worst = fmax(worst, fabs(old[i][j] - exact(i, j, n)));
	printf("%d sweeps, %s\n", sweeps, worst < 1e-4 ? "solved" : "NOT solved");
	free(old);
	free(new);
	return worst < 1e-4 ? 0 : 1;
}
