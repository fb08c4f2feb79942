// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * columns.c - a node reads all that another has, by columns of pages.
 */
#include <stdio.h>

#define ROWS	25
#define COLUMNS 20
#define PAGE	4096

static _Alignas(PAGE) unsigned char matrix[2][ROWS][COLUMNS][PAGE];

static void fill(unsigned char *half)
{
	for (long i = 0; i < (long)sizeof(matrix[0]); i++)
		half[i] = (unsigned char)(i % 251 + 1);
}

static long read_columns(int half)
{
	long sum = 0;

	for (int column = 0; column < COLUMNS; column++)
		for (int row = 0; row < ROWS; row++)
			sum += matrix[half][row][column][0];
	return sum;
}

int main(void)
{
	long sum = 0;

#pragma omp parallel for
	for (int i = 0; i < 2; i++)
		fill(matrix[i][0][0]);
#pragma omp parallel for reduction(+ : sum)
	for (int i = 0; i < 2; i++)
		if (i == 1)
			sum += read_columns(0);
	printf("%ld\n", sum);
	return 0;
}
