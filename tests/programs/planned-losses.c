/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * planned-losses.c - a loop that writes many small pieces, of which one node alone reads what
 * another has written: all nodes have to find alike that planning it does not pay.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PIECES 1640
#define APART  12
#define COUNT  574
#define ROWS   19
#define WIDTH  30

static unsigned piece[PIECES * APART];
static short **row;
static int least = 6;

int main(void)
{
	float value[COUNT];
	double sum = 0;

	row = malloc(ROWS * sizeof(*row));
	if (!row)
		return 1;
	for (int i = 0; i < ROWS; i++) {
		row[i] = calloc(WIDTH, sizeof(**row));
		if (!row[i])
			return 1;
	}
	for (int round = 0; round < 5; round++) {
		for (int i = 0; i < ROWS; i++)
			for (int j = 0; j < WIDTH; j++)
				value[i * WIDTH + j] = row[i][j];
#pragma omp parallel
		{
			/* Not planned: pages have to be whole before. */
#pragma omp for schedule(dynamic, 20)
			for (int i = 0; i < COUNT; i++) {
			}
#pragma omp for nowait
			for (unsigned i = 0; i < PIECES; ++i)
				if ((int)i > least)
					memset(piece + i * APART, 0, 2 * sizeof(*piece));
#pragma omp barrier
#pragma omp for nowait
			for (int i = 0; i < COUNT; i++) {
				unsigned all = 0;

				for (int j = 1; j < COUNT; j *= 2)
					all += piece[j];
				value[i] = (float)((all + (unsigned)i) & 4095);
			}
		}
	}
	for (int i = 0; i < COUNT; i++)
		sum += value[i];
	printf("%.0f\n", sum);
	return 0;
}
