/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * planned-swapped.c - a loop that swaps the pointers by which it finds its rows is described, and
 * not planned: no node may swap before all have read these pointers.
 */
#include <stdio.h>
#include <stdlib.h>

#define ROWS  46
#define WIDTH 64
#define MORE  306

static int offset[16], width = WIDTH;

int main(void)
{
	/* What the last loop writes lies on the pages of the pointers, too. */
	double *value = calloc(1000, sizeof(*value)), base[WIDTH];
	long *count = calloc(MORE, sizeof(*count)), sum = 0;
	long **row = malloc(ROWS * sizeof(*row));

	if (!row || !count || !value)
		return 1;
	for (int i = 0; i < ROWS; i++) {
		row[i] = calloc(WIDTH, sizeof(long));
		if (!row[i])
			return 1;
	}
	for (int round = 0; round < 20; round++) {
		for (int i = 0; i < width; i++)
			base[i] = offset[i & 15] + round;
#pragma omp parallel
		{
			for (int half = 0; half < 2; half++) {
#pragma omp for nowait
				for (int i = 0; i < ROWS / 2; i++) {
					long *first = row[2 * i];

					row[2 * i] = row[2 * i + 1];
					row[2 * i + 1] = first;
					for (int j = 0; j < WIDTH; j++)
						first[j] += i * 2 + round * half;
				}
#pragma omp barrier
			}
#pragma omp for nowait
			for (int i = 0; i < MORE; i++) {
				value[i] = i;
				count[i]++;
			}
		}
#pragma omp parallel for
		for (int i = 0; i < ROWS; i++) {
		}
	}
	for (int i = 0; i < ROWS; i++)
		for (int j = 0; j < WIDTH; j++)
			sum = (sum * 31 + row[i][j] + (long)base[j]) % 1000003;
	for (int i = 0; i < MORE; i++)
		sum = (sum * 31 + count[i] + (long)value[i]) % 1000003;
	printf("%ld\n", sum);
	for (int i = 0; i < ROWS; i++)
		free(row[i]);
	free(value);
	free(count);
	free(row);
	return 0;
}
