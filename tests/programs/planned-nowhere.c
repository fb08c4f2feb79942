// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * planned-nowhere.c - a loop that looks up lists of which some are nowhere; it writes the words
 * that say which ones before it looks.
 */
#include <stdio.h>
#include <stdlib.h>

#define N 1000

static int *column[N], there[N];
static double value[N], sum[N];

int main(void)
{
	double all = 0;

	for (int i = 0; i < N; i++) {
		value[i] = i;
		if (i % 10) {
			column[i] = calloc(8, sizeof(*column[i]));
			column[i][0] = i * 7 % N;
		}
	}
	for (int turn = 0; turn < 6; turn++) {
#pragma omp parallel for
		for (int i = 0; i < N; i++)
			there[i] = 1;
#pragma omp parallel for
		for (int i = 0; i < N; i++) {
			there[i] = i % 10;
			if (there[i])
				sum[i] += value[column[i][0]];
		}
	}
	for (int i = 0; i < N; i++) {
		all += sum[i];
		free(column[i]);
	}
	printf("%g\n", all);
	return 0;
}
