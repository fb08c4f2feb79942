/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * planned-guarded.c - loops inside of which bounds are read through pointers: these may lead
 * nowhere where the loops around do not run.  What they access are members of records, side by
 * side.
 */
#include <stdio.h>
#include <stdlib.h>

#define PLANES 24
#define ROWS   10
#define SIZE   40

struct pair {
	double re, im;
};

static struct pair from[PLANES][ROWS][SIZE], to[PLANES][ROWS][SIZE];

static void copy(int rows, const int *size, struct pair (*a)[ROWS][SIZE],
		 struct pair (*b)[ROWS][SIZE])
{
#pragma omp parallel for
	for (int k = 0; k < PLANES; k++)
		for (int j = 0; j < rows; j++)
			for (int i = 0; i < size[0]; i++) {
				b[k][j][i].re = a[k][j][i].re + 1;
				b[k][j][i].im = a[k][j][i].im - k;
			}
}

/* Each reads what another node has written. */
static void turn(int rows, const int *size, struct pair (*a)[ROWS][SIZE],
		 struct pair (*b)[ROWS][SIZE])
{
#pragma omp parallel for
	for (int i = 0; i < SIZE; i++)
		for (int j = 0; j < rows; j++)
			if (i < size[1])
				for (int k = 0; k < PLANES; k++) {
					b[k][j][i].im = a[PLANES - 1 - k][j][i].re;
					b[k][j][i].re = a[PLANES - 1 - k][j][i].im + i;
				}
}

static double sum(struct pair (*a)[ROWS][SIZE])
{
	double total = 0;

	for (int k = 0; k < PLANES; k++)
		for (int j = 0; j < ROWS; j++)
			for (int i = 0; i < SIZE; i++)
				total += (k + 2 * j + 3 * i) * a[k][j][i].re - a[k][j][i].im;
	return total;
}

int main(void)
{
	int *size = malloc(2 * sizeof(*size));

	size[0] = SIZE;
	size[1] = SIZE;
	for (int round = 0; round < 6; round++) {
		copy(ROWS - round % 2, size, from, to);
		turn(ROWS, size, to, from);
		copy(0, NULL, from, to);
		copy(0, (const int *)(8 + (char *)size + (1l << 30)), to, from);
		turn(0, (const int *)0x12345678000, from, to);
		if (round % 3 == 2)
			size[round % 2] -= 3;
	}
	printf("%.0f %.0f\n", sum(from), sum(to));
	free(size);
	return 0;
}
