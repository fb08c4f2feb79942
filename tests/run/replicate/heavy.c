// SPDX-License-Identifier: GPL-2.0-or-later
/* Rows of which each is described by itself: more of them than a loop that comes seldom may have.
 */
#include <stdio.h>
#include <stdlib.h>

#define ROWS 140000
#ifndef ROW
#define ROW 4 /* numbers */
#endif

int main(void)
{
	int **row = malloc(ROWS * sizeof(*row));
	long sum = 0;

	for (int i = 0; i < ROWS; i++)
		row[i] = calloc(ROW, sizeof(int));
	for (int round = 0; round < 3; round++) {
#pragma omp parallel for
		for (int i = 0; i < ROWS; i++) /* marked */
			for (int j = 0; j < ROW; j++)
				row[i][j] += i + j + round;
	}
	for (int i = 0; i < ROWS; i++)
		sum = (sum * 3 + row[i][i & 3]) % 1000003;
	printf("%ld\n", sum);
	return 0;
}
