/* SPDX-License-Identifier: GPL-2.0-or-later */
/* life.c - Conway's game on bytes: rows of odd length, so that words straddle threads. */
#include <stdio.h>
#include <string.h>

#define ROWS	45
#define COLUMNS 51

static char world[ROWS][COLUMNS], next[ROWS][COLUMNS];

static int neighbours(int row, int column)
{
	int count = 0;

	for (int i = -1; i <= 1; i++)
		for (int j = -1; j <= 1; j++)
			if (i || j)
				count += world[(row + i + ROWS) % ROWS]
					      [(column + j + COLUMNS) % COLUMNS];
	return count;
}

int main(void)
{
	int alive = 0;

	for (int i = 0; i < ROWS * COLUMNS; i++)
		world[i / COLUMNS][i % COLUMNS] = (i * i + i / 7) % 5 < 2;
	for (int generation = 0; generation < 30; generation++) {
#pragma omp parallel
		{
#pragma omp for collapse(2)
			for (int i = 0; i < ROWS; i++)
				for (int j = 0; j < COLUMNS; j++) {
					int n = neighbours(i, j);

					next[i][j] = n == 3 || (n == 2 && world[i][j]);
				}
#pragma omp single
			memcpy(world, next, sizeof(world));
		}
	}
#pragma omp parallel for reduction(+ : alive)
	for (int i = 0; i < ROWS; i++)
		for (int j = 0; j < COLUMNS; j++)
			alive += world[i][j];
	for (int i = 0; i < ROWS; i += 3) {
		for (int j = 0; j < COLUMNS; j++)
			putchar(world[i][j] ? '#' : '.');
		putchar('\n');
	}
	printf("%d\n", alive);
	return 0;
}
