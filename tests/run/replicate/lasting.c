// SPDX-License-Identifier: GPL-2.0-or-later
/* As diagonals.c, all of it in one region, in which a barrier stands apart from its loop. */
#include <stdio.h>

#define SIZE 401
#include "texts.h"

int main(void)
{
	int **length = begin();

#pragma omp parallel
	for (int d = 2; d < 2 * SIZE; d++) {
		int first = d < SIZE ? 1 : d - SIZE + 1, last = d < SIZE ? d - 1 : SIZE - 1;

#pragma omp for nowait
		for (int i = first; i <= last; i++) /* marked */
			length[i][d - i] = longest_at(length, i, d - i);
#pragma omp barrier
	}
	printf("%d\n", length[SIZE - 1][SIZE - 1]);
	return 0;
}
