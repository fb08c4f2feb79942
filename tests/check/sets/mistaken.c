/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A stencil, whose sets mistake (below) describes wrongly. */
#include <stdio.h>

#define N 24

static double from[N][N], to[N][N], more[N];

int main(void)
{
	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++)
			from[i][j] = i * j;
#pragma omp parallel for
	for (int i = 1; i < N - 1; i++) {
		for (int j = 2; j < N - 1; j++)
			to[i][j] = from[i - 1][j] + from[i + 1][j + 1];
		more[i] = to[i][2];
	}
	printf("%g %g\n", to[4][5], more[6]);
	return 0;
}
