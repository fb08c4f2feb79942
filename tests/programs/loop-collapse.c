/* SPDX-License-Identifier: GPL-2.0-or-later */
/* loop-collapse.c - collapse of two and three loops; mixed types, steps, empty inner loops. */
#include <stdio.h>
#include <string.h>

static int grid[12][9][7];

static void show(const char *what)
{
	unsigned long hash = 17;
	const int *cell = &grid[0][0][0];

	for (unsigned int i = 0; i < sizeof(grid) / sizeof(int); i++)
		hash = hash * 31 + (unsigned long)cell[i];
	printf("%s %016lx\n", what, hash);
}

int main(void)
{
	int i, j, k, rows = 12, columns = 9;
	long count = 0;

#pragma omp parallel for collapse(2)
	for (i = 0; i < rows; i++)
		for (j = 0; j < columns; j++)
			grid[i][j][0] = i * 100 + j;
	show("two");
#pragma omp parallel for collapse(3)
	for (int a = 0; a < 12; a++)
		for (int b = 0; b < 9; b++)
			for (int c = 0; c < 7; c++)
				grid[a][b][c] += a * b - c;
	show("three");
#pragma omp parallel for collapse(3) schedule(static, 5)
	for (long a = 11; a >= 0; a -= 2)
		for (unsigned char b = 1; b < 9; b += 3)
			for (int c = 6; c > -1; c--)
				grid[a][b][c] ^= (int)(a << 8 | b << 4 | c);
	show("mixed");
#pragma omp parallel for collapse(2) reduction(+ : count)
	for (i = 0; i < 10; i++)
		for (j = 5; j < 5; j++)
			count++;
#pragma omp parallel for collapse(2) reduction(+ : count)
	for (i = 3; i < 3; i++)
		for (j = 0; j < 5; j++)
			count++;
	printf("empty %ld\n", count);
	i = j = k = -1;
#pragma omp parallel for collapse(3) lastprivate(i, j, k) reduction(+ : count)
	for (i = 0; i < 5; i++)
		for (j = 10; j > 4; j -= 2)
			for (k = 1; k <= 3; k++)
				count += i * j * k;
	printf("after %d %d %d %ld\n", i, j, k, count);
#pragma omp parallel
	{
#pragma omp for collapse(2) nowait
		for (int a = 0; a < 12; a++)
			for (int b = 0; b < 9; b++)
				memset(grid[a][b], a ^ b, sizeof(grid[a][b]));
	}
	show("rows");
	return 0;
}
