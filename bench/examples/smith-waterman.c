/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * smith-waterman.c - the best local alignment of two sequences, by dynamic programming.
 *
 * Usage: smith-waterman [length]      Ends with 1 if the score is not that of a sequential run.
 */
#include <stdio.h>
#include <stdlib.h>

#define MATCH	 3
#define MISMATCH (-3)
#define GAP	 2

static int largest(int a, int b)
{
	return a > b ? a : b;
}

static int cell(int diagonal, int above, int left, int same)
{
	return largest(largest(0, diagonal + (same ? MATCH : MISMATCH)),
		       largest(above, left) - GAP);
}

/* Diagonal after diagonal: the cells of one do not depend on each other. */
static int in_parallel(const char *a, const char *b, int n, int score[n + 1][n + 1])
{
	int best = 0;

#pragma omp parallel
	for (int diagonal = 2; diagonal <= 2 * n; diagonal++) {
		int first = largest(1, diagonal - n), last = diagonal - first;

#pragma omp for reduction(max : best)
		for (int i = first; i <= last; i++) {
			int j = diagonal - i;

			score[i][j] = cell(score[i - 1][j - 1], score[i - 1][j], score[i][j - 1],
					   a[i - 1] == b[j - 1]);
			best = largest(best, score[i][j]);
		}
	}
	return best;
}

static int in_sequence(const char *a, const char *b, int n)
{
	int *row = calloc((size_t)n + 1, sizeof(*row)), best = 0;

	for (int i = 1; i <= n; i++) {
		int diagonal = 0;

		for (int j = 1; j <= n; j++) {
			int above = row[j];

			row[j] = cell(diagonal, above, row[j - 1], a[i - 1] == b[j - 1]);
			best = largest(best, row[j]);
			diagonal = above;
		}
	}
	free(row);
	return best;
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 150, score, expected;
	char *a = malloc((size_t)n), *b = malloc((size_t)n);
	int(*table)[n + 1] = calloc((size_t)n + 1, sizeof(*table));
	unsigned random = 1;

	for (int i = 0; i < n; i++) {
		random = random * 1664525 + 1013904223;
		a[i] = "ACGT"[random >> 30];
		random = random * 1664525 + 1013904223;
		b[i] = random >> 28 ? a[i * 9 / 10] : "ACGT"[i % 4];
	}
	score = in_parallel(a, b, n, table);
	expected = in_sequence(a, b, n);
	printf("length %d, score %d, %s\n", n, score, score == expected ? "right" : "WRONG");
	free(a);
	free(b);
	free(table);
	return score == expected ? 0 : 1;
}
