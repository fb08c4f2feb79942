/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lu.c - LU decomposition in place: a shrinking loop in one region, a barrier per column. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define N 48

int main(void)
{
	double(*a)[N] = malloc(sizeof(double[N][N])), x[N], b[N], error = 0;

	for (int i = 0; i < N; i++) {
		b[i] = 0;
		for (int j = 0; j < N; j++) {
			a[i][j] = i == j ? N + 1.5 : ((i * 31 + j * 17) % 23) / 23.0;
			b[i] += a[i][j] * (j + 1);
		}
	}
#pragma omp parallel
	for (int k = 0; k < N; k++) {
#pragma omp for schedule(static, 4)
		for (int i = k + 1; i < N; i++) {
			a[i][k] /= a[k][k];
			for (int j = k + 1; j < N; j++)
				a[i][j] -= a[i][k] * a[k][j];
		}
	}
	for (int i = 0; i < N; i++) {
		x[i] = b[i];
		for (int j = 0; j < i; j++)
			x[i] -= a[i][j] * x[j];
	}
	for (int i = N - 1; i >= 0; i--) {
		for (int j = i + 1; j < N; j++)
			x[i] -= a[i][j] * x[j];
		x[i] /= a[i][i];
	}
#pragma omp parallel for reduction(max : error)
	for (int i = 0; i < N; i++)
		error = fmax(error, fabs(x[i] - (i + 1)));
	printf("%s %a %a\n", error < 1e-9 ? "solved" : "not solved", a[N - 1][N - 1], x[7]);
	free(a);
	return 0;
}
