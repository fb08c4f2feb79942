/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sweep.c - Gauss-Seidel in place: each node reads what its neighbours write. */
#include <stdio.h>
#include <stdlib.h>

static double residual(const double *a, int n)
{
	double sum = 0;

	for (int i = 1; i < n - 1; i++)
		sum += a[i - 1] + a[i + 1] - 2 * a[i];
	return sum;
}

int main(void)
{
	double *a = malloc(100 * sizeof(*a));

	for (int i = 0; i < 100; i++)
		a[i] = i + .5;
#pragma omp parallel for
	for (int i = 1; i < 99; i++) {
		double sum = a[i + 1];

		sum += a[i - 1];
		a[i] = sum / 2;
	}
	printf("%g\n", residual(a, 100));
	return 0;
}
