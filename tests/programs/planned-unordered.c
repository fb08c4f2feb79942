// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * planned-unordered.c - variables that threads have in common, which one iteration alone uses as if
 * they were its own, also as the variable of a loop.
 */
#include <stdio.h>

#define N     2000
#define INNER 40

static double a[N], b[N], given[N], row[N][INNER];

int main(void)
{
	double sum = 0;
	int k = 0, place = 0;

	for (int i = 0; i < N; i++)
		given[i] = i % 17;
	for (int turn = 0; turn < 8; turn++) {
#pragma omp parallel for
		for (int i = 0; i < N; i++) {
			if (i == 7 * turn + 900) {
				for (k = turn; k < INNER; k++)
					row[i][k] += given[i + k] + turn;
				place = N - 1 - i;
				b[place] += turn + 1;
			}
			a[i] += i + turn;
		}
		printf("%d %d %g\n", k, place, b[place]);
#pragma omp parallel for
		for (int i = 1; i < N - 1; i++)
			b[i] = a[i - 1] + row[i][turn] + b[i];
	}
	for (int i = 0; i < N; i++)
		sum += b[i] + row[i][i % INNER];
	printf("%g\n", sum);
	return 0;
}
