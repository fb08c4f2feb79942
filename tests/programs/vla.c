/* SPDX-License-Identifier: GPL-2.0-or-later */
/* vla.c - variable length arrays: shared, private in the region, as parameters, of two dimensions.
 */
#include <stdio.h>

static void scale(int rows, int columns, double grid[rows][columns], double factor)
{
#pragma omp parallel for collapse(2)
	for (int i = 0; i < rows; i++)
		for (int j = 0; j < columns; j++)
			grid[i][j] *= factor;
}

static double run(int rows, int columns)
{
	double grid[rows][columns], sums[rows], total = 0;
	int(*shape)[columns] = NULL, width = (int)(sizeof(*shape) / sizeof(**shape));
	char names[rows][16];

	for (int i = 0; i < rows; i++)
		for (int j = 0; j < columns; j++)
			grid[i][j] = i + j * 0.5;
#pragma omp parallel
	{
		double row[width];
		int places[width + 1];

#pragma omp for
		for (int i = 0; i < rows; i++) {
			sums[i] = 0;
			for (int j = 0; j < width; j++) {
				row[j] = grid[i][width - 1 - j];
				places[j] = j * i;
			}
			places[width] = i;
			for (int j = 0; j < width; j++) {
				grid[i][j] = row[j] + places[j];
				sums[i] += grid[i][j];
			}
			snprintf(names[i], sizeof(names[i]), "r%d", places[width]);
		}
#pragma omp for reduction(+ : total)
		for (int i = 0; i < rows; i++)
			total += sums[rows - 1 - i] + names[i][0];
	}
	scale(rows, columns, grid, 2);
	return total + grid[rows - 1][columns - 1] + grid[0][0];
}

int main(void)
{
	int sizes[] = {3, 1, 20, 7, 64};

	for (int i = 0; i < 5; i++)
		printf("%.1f\n", run(sizes[i], sizes[4 - i]));
	return 0;
}
