/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pipeline-rows.c - rows that a team shares out again and again in a loop, in which threads hand
 * them on to each other by flags, forth and back: what others do not read is not published before
 * the next barrier, and right after it.
 */
#include <stdio.h>

enum { ROWS = 23, COLUMNS = 37, LAYERS = 9, STEPS = 4 };

static double grid[ROWS + 2][COLUMNS][LAYERS];
static double own[ROWS + 2][COLUMNS]; /* that nobody else reads */
static int forth[ROWS + 2], back[ROWS + 2];
static int step;
static int last = ROWS;

static void prepare(int layer)
{
#pragma omp for nowait schedule(static)
	for (int i = 1; i <= last; i++)
		for (int j = 0; j < COLUMNS; j++)
			own[i][j] = grid[i][j][layer] * 0.5 + i;
}

static void go_forth(double to[ROWS + 2][COLUMNS][LAYERS], double from[ROWS + 2][COLUMNS],
		     int layer, int first)
{
	prepare(layer);
#pragma omp for schedule(static) nowait
	for (int i = first; i <= last; i++) {
		if (i != first) {
			while (forth[i - 1] < step * LAYERS + layer + 1) {
#pragma omp flush
			}
#pragma omp flush
		}
		for (int j = 0; j < COLUMNS; j++)
			to[i][j][layer] = from[i][j] + to[i - 1][j][layer] * 0.25;
#pragma omp flush
		forth[i] = step * LAYERS + layer + 1;
#pragma omp flush
	}
}

static void go_back(int layer)
{
#pragma omp for nowait
	for (int i = last; i >= 1; i--) {
		if (i < last) {
			while (back[i + 1] < step * LAYERS + layer + 1) {
#pragma omp flush(back)
			}
#pragma omp flush
		}
		for (int j = 0; j < COLUMNS; j++)
			grid[i][j][layer] -= grid[i + 1][(j + 1) % COLUMNS][layer] * 0.125;
#pragma omp flush
		back[i] = step * LAYERS + layer + 1;
#pragma omp flush(back)
	}
}

static void run(void)
{
#pragma omp parallel
	{
#pragma omp single
		step++;
		for (int layer = 0; layer < LAYERS; layer++)
			go_forth(grid, own, layer, 1);
#pragma omp barrier
		for (int layer = 0; layer < LAYERS; layer++) {
			go_back(layer);
		}
#pragma omp barrier
#pragma omp for schedule(static, 2)
		for (int i = 0; i < ROWS + 2; i++)
			for (int j = 0; j < COLUMNS; j++)
				grid[i][j][0] += own[ROWS + 1 - i][j];
	}
}

int main(void)
{
	double sum = 0;

	for (int i = 0; i < ROWS + 2; i++)
		for (int j = 0; j < COLUMNS; j++)
			for (int k = 0; k < LAYERS; k++)
				grid[i][j][k] = (i * 7 + j * 3 + k) % 11;
	for (int i = 0; i < STEPS; i++) {
		run();
		last -= i == 1;
	}
	for (int i = 0; i < ROWS + 2; i++)
		for (int j = 0; j < COLUMNS; j++)
			for (int k = 0; k < LAYERS; k++)
				sum += grid[i][j][k] * (1 + (i * 5 + j + k) % 7) + own[i][j];
	printf("%.17g\n", sum);
	return 0;
}
