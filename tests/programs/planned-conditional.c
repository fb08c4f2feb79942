/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * planned-conditional.c - loops that write where memory says so, or as often as it says: under
 * conditions, in loops with such bounds, behind break and continue, by pointers in records and in
 * lists; elements that all threads may write and one does; and places that lie outside of their
 * array where nothing is written.
 */
#include <stdio.h>
#include <stdlib.h>

#define N     2000
#define M     12
#define STEPS 8

struct grid {
	double *cell;
	int *flag;
	int shift;
};

static int start[N + 1], column[3 * N], flag[N], wanted = 7, found, last[64];
static double x[N], y[N], z[N][M], w[N], limit = 3;
static double *line[N];

static void accumulate(struct grid *grid, int s)
{
#pragma omp parallel for
	for (int i = 0; i < N; i++)
		for (int k = start[i]; k < start[i + 1]; k++)
			y[i] += x[column[k]];
#pragma omp parallel for schedule(static, 5)
	for (int i = 0; i < N; i++) {
		if (flag[i] > s)
			grid->cell[i + grid->shift] = y[i] + s;
		if (grid->flag[i])
			x[i] = (long)y[i] % 1013;
	}
}

static void search(int s)
{
#pragma omp parallel
	{
		/* Of all that may write these, one does. */
#pragma omp for
		for (int i = 0; i < N; i++)
			if (column[i] == wanted && flag[i] == 1) {
				last[s] = i;
				found = found > 0 ? found : 1;
			}
#pragma omp for
		for (int i = 0; i < N; i++)
			for (int j = 0; j < M; j++) {
				if (z[i][j] > limit)
					continue;
				if (flag[j] == 3)
					break;
				z[i][j] += x[i] > y[i] ? 1 : 0.5;
			}
#pragma omp for
		for (int i = 0; i < N; i++)
			if (i > 2 && flag[i] % 2)
				w[i - 3] = x[i] + (flag[i - 1] ? y[i - 2] : 0);
#pragma omp for
		for (int i = 0; i < N; i++)
			if (flag[i] == 2)
				line[i][0] += s;
#pragma omp single
		{
			limit += 0.5;
			flag[s * 3] = s % 4;
		}
#pragma omp for reduction(+ : found)
		for (int i = 0; i < N; i++)
			if (w[i] > 100) {
				w[i] /= 2;
				found++;
			}
	}
}

int main(void)
{
	struct grid grid = {malloc((N + 9) * sizeof(double)), malloc(N * sizeof(int)), 0};
	double sum = 0;

	for (int i = 0; i < N; i++) {
		start[i + 1] = start[i] + i % 3;
		flag[i] = i % 5;
		x[i] = i % 11;
		line[i] = &w[N - 1 - i];
		grid.flag[i] = i % 7 == 0;
	}
	for (int i = 0; i < N + 9; i++)
		grid.cell[i] = i;
	for (int i = 0; i < 3 * N; i++)
		column[i] = (i * 31) % N;
	for (int s = 0; s < STEPS; s++) {
		accumulate(&grid, s);
		search(s);
		if (s == 4) {
			grid.shift = 9;
			wanted = 31;
		}
	}
	for (int i = 0; i < N; i++)
		sum += x[i] + 2 * y[i] + 3 * w[i] + 5 * z[i][i % M] + 7 * grid.cell[i + 9];
	printf("%.17g %d %d %d %g\n", sum, found, last[2], last[6], limit);
	free(grid.cell);
	free(grid.flag);
	return 0;
}
