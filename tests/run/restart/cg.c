// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cg.c - conjugate gradients for a sparse matrix (CSR): several regions in a step.  The parts of
 * the dot products are added up in one order, so that all digits are alike on every number of
 * nodes.
 *
 * Usage: cg STEPS [MICROSECONDS [SETS]] (pause.h)
 */
#include <stdio.h>
#include <stdlib.h>
#include "pause.h"

#define SIDE  48
#define ROWS  (SIDE * SIDE)
#define PARTS 48

static int start[ROWS + 1];
static int *column;
static double *value, *x, *r, *p, *q;

static void build(void)
{
	column = malloc(5 * ROWS * sizeof(*column));
	value = malloc(5 * ROWS * sizeof(*value));
	for (int row = 0; row < ROWS; row++) {
		int i = row / SIDE, j = row % SIDE, at = start[row];
		int is_there[] = {i > 0, j > 0, 1, j < SIDE - 1, i < SIDE - 1};
		int distance[] = {-SIDE, -1, 0, 1, SIDE};

		for (int entry = 0; entry < 5; entry++)
			if (is_there[entry]) {
				column[at] = row + distance[entry];
				value[at++] = distance[entry] ? -1 : 4;
			}
		start[row + 1] = at;
	}
}

static double dot(const double *a, const double *b)
{
	double part[PARTS], sum = 0;

#pragma omp parallel for
	for (int i = 0; i < PARTS; i++) {
		part[i] = 0;
		for (int row = i * (ROWS / PARTS); row < (i + 1) * (ROWS / PARTS); row++)
			part[i] += a[row] * b[row];
	}
	for (int i = 0; i < PARTS; i++)
		sum += part[i];
	return sum;
}

/* RHO is the square of the residual before; returns that behind. */
static double iterate(double rho)
{
	double alpha, next;

#pragma omp parallel for
	for (int row = 0; row < ROWS; row++) {
		q[row] = 0;
		for (int entry = start[row]; entry < start[row + 1]; entry++)
			q[row] += value[entry] * p[column[entry]];
	}
	alpha = rho / dot(p, q);
#pragma omp parallel for
	for (int row = 0; row < ROWS; row++) {
		x[row] += alpha * p[row];
		r[row] -= alpha * q[row];
	}
	next = dot(r, r);
#pragma omp parallel for
	for (int row = 0; row < ROWS; row++)
		p[row] = r[row] + next / rho * p[row];
	return next;
}

int main(int argc, char **argv)
{
	int steps = argc > 1 ? atoi(argv[1]) : 10;
	double *vectors = calloc(4 * ROWS, sizeof(double)), rho;

	build();
	x = vectors;
	r = x + ROWS;
	p = r + ROWS;
	q = p + ROWS;
#pragma omp parallel for
	for (int row = 0; row < ROWS; row++)
		r[row] = p[row] = 1 + row % 11;
	rho = dot(r, r);
	for (int s = 0; s < steps; s++) {
		rho = iterate(rho);
		printf("step %d: %.17g %.17g\n", s, rho, x[ROWS / 2]);
		fflush(stdout);
		pause_at(s, argv + 2);
	}
	free(vectors);
	free(column);
	free(value);
	return 0;
}
