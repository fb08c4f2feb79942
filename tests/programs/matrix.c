/* SPDX-License-Identifier: GPL-2.0-or-later */
/* matrix.c - blocked matrix product, transposition in place, power iteration, trace. */
#include <math.h>
#include <stdio.h>

#define N     96
#define BLOCK 16

static float a[N][N], b[N][N], c[N][N];
static double v[N], w[N];

int main(void)
{
	double norm, trace = 0;

#pragma omp parallel for collapse(2)
	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++) {
			a[i][j] = (float)((i + j) % 5);
			b[i][j] = (float)((i * j) % 3);
		}
#pragma omp parallel for collapse(2) schedule(static, 1)
	for (int bi = 0; bi < N; bi += BLOCK)
		for (int bj = 0; bj < N; bj += BLOCK)
			for (int k = 0; k < N; k++)
				for (int i = bi; i < bi + BLOCK; i++)
					for (int j = bj; j < bj + BLOCK; j++)
						c[i][j] += a[i][k] * b[k][j];
						/* Thread t swaps pairs (i, j) of which it has i:
						 * each pair belongs to one. */
#pragma omp parallel for schedule(static, 1)
	for (int i = 0; i < N; i++)
		for (int j = 0; j < i; j++) {
			float swap = c[i][j];

			c[i][j] = c[j][i];
			c[j][i] = swap;
		}
	for (int i = 0; i < N; i++)
		v[i] = 1;
	for (int step = 0; step < 8; step++) {
		norm = 0;
#pragma omp parallel
		{
#pragma omp for
			for (int i = 0; i < N; i++) {
				w[i] = 0;
				for (int j = 0; j < N; j++)
					w[i] += (double)c[i][j] * v[j];
			}
#pragma omp for reduction(max : norm)
			for (int i = 0; i < N; i++)
				norm = fmax(norm, w[i]);
#pragma omp for
			for (int i = 0; i < N; i++)
				v[i] = w[i] / norm;
		}
	}
#pragma omp parallel for reduction(+ : trace)
	for (int i = 0; i < N; i++)
		trace += (double)c[i][i];
	printf("%a %a %a\n", norm, v[3], v[N - 1]);
	printf("%.1f %.1f %.1f\n", trace, (double)c[1][90], (double)c[90][1]);
	return 0;
}
