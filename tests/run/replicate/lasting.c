// SPDX-License-Identifier: GPL-2.0-or-later
/* As diagonals.c, all of it in one region. */
#include <stdio.h>
#include <stdlib.h>

#define SIZE 401

static char one[SIZE], other[SIZE];

int main(void)
{
	int **length = malloc(SIZE * sizeof(*length));

	for (int i = 0; i < SIZE; i++) {
		length[i] = calloc(SIZE, sizeof(int));
		one[i] = "abcd"[i * i % 7 % 4];
		other[i] = "abcd"[i * 3 % 11 % 4];
	}
#pragma omp parallel
	for (int d = 2; d < 2 * SIZE; d++) {
		int first = d < SIZE ? 1 : d - SIZE + 1, last = d < SIZE ? d - 1 : SIZE - 1;

#pragma omp for
		for (int i = first; i <= last; i++) { /* marked */
			int j = d - i, longest = length[i - 1][j - 1] + 1;

			if (one[i] != other[j]) {
				longest = length[i - 1][j];
				if (length[i][j - 1] > longest)
					longest = length[i][j - 1];
			}
			length[i][j] = longest;
		}
	}
	printf("%d\n", length[SIZE - 1][SIZE - 1]);
	return 0;
}
