/* SPDX-License-Identifier: GPL-2.0-or-later */
/* texts.h - the longest common part of two texts of SIZE - 1 letters, element by element. */
#include <stdlib.h>

static char one[SIZE], other[SIZE];

/* The rows, of zeros. */
static int **begin(void)
{
	int **length = malloc(SIZE * sizeof(*length));

	for (int i = 0; i < SIZE; i++) {
		length[i] = calloc(SIZE, sizeof(int));
		one[i] = "abcd"[i * i % 7 % 4];
		other[i] = "abcd"[i * 3 % 11 % 4];
	}
	return length;
}

/* Up to I and J, from what is before. */
static int longest_at(int **length, int i, int j)
{
	if (one[i] == other[j])
		return length[i - 1][j - 1] + 1;
	return length[i][j - 1] > length[i - 1][j] ? length[i][j - 1] : length[i - 1][j];
}
