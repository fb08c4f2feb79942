/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * planned-parts-between.c - between loops that leave pages in parts with several nodes, sequential
 * code comes to a few of these pages, here and there, and the rest of them stay in parts: it reads
 * and changes elements, hands memory to the C library, allocates and frees.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 700, COLUMNS = 130, STEPS = 9 };

static double fixed[ROWS][COLUMNS];

static void by_columns(double *heap, int step)
{
#pragma omp parallel for
	for (int j = 1; j < COLUMNS - 1; j++)
		for (int i = 0; i < ROWS; i++) {
			fixed[i][j] += fixed[i][step % 2 * (COLUMNS - 1)] * 0.25 + j;
			heap[i * COLUMNS + j] = fixed[i][j] - i;
		}
}

static void by_rows(double *heap)
{
#pragma omp parallel for
	for (int i = 1; i < ROWS - 1; i++)
		for (int j = 0; j < COLUMNS; j++)
			heap[i * COLUMNS + j] += heap[i * COLUMNS + (j * 7) % COLUMNS] / 3;
}

static double between(double *heap, int step)
{
	double got = 0;
	char text[64];
	double *more;

	switch (step % 5) {
	case 0:
		fixed[step * 50][3] = -fixed[ROWS - 1][COLUMNS - 2];
		return fixed[step][1];
	case 1:
		memmove(&fixed[100][0], &fixed[300][5], 40 * sizeof(fixed[0][0]));
		return heap[ROWS / 2 * COLUMNS + COLUMNS / 2];
	case 2:
		for (int i = 0; i < ROWS; i += 90)
			got += fixed[i][COLUMNS / 2] + heap[i * COLUMNS];
		return got;
	case 3:
		more = calloc(3000, sizeof(*more));
		more[step] = heap[step * 1000];
		got = more[step] + more[2999];
		free(more);
		return got;
	default:
		snprintf(text, sizeof(text), "%.3f", heap[(step * 37 % ROWS) * COLUMNS + 9]);
		return strtod(text, NULL);
	}
}

int main(void)
{
	double *heap = malloc(sizeof(fixed)), sum = 0;

	for (int i = 0; i < ROWS; i++)
		for (int j = 0; j < COLUMNS; j++) {
			fixed[i][j] = i % 11 - j % 5;
			heap[i * COLUMNS + j] = 0;
		}
	for (int step = 0; step < STEPS; step++) {
		by_columns(heap, step);
		printf("%.4f\n", between(heap, step));
		by_rows(heap);
		printf("%.4f\n", between(heap, step + 1));
		if (step == 5)
			heap = realloc(heap, 2 * sizeof(fixed));
	}
	for (int i = 0; i < ROWS; i++)
		for (int j = 0; j < COLUMNS; j++)
			sum += fixed[i][j] + heap[i * COLUMNS + j];
	printf("%.3f\n", sum);
	free(heap);
	return 0;
}
