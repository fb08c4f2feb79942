/* SPDX-License-Identifier: GPL-2.0-or-later */
/* jacobi.c - heat on a plate by Jacobi iteration: two grids by turns, a maximum per step. */
#include <math.h>
#include <stdio.h>

#define N 66

static double plate[2][N][N];

int main(void)
{
	double change = 0;
	int step = 0, from = 0;

	for (int i = 0; i < N; i++)
		plate[0][0][i] = plate[1][0][i] = 100;
	do {
		change = 0;
#pragma omp parallel for reduction(max : change)
		for (int i = 1; i < N - 1; i++)
			for (int j = 1; j < N - 1; j++) {
				double(*old)[N] = plate[from];
				double value = 0.25 * (old[i - 1][j] + old[i + 1][j] +
						       old[i][j - 1] + old[i][j + 1]);

				change = fmax(change, fabs(value - old[i][j]));
				plate[!from][i][j] = value;
			}
		from = !from;
		step++;
	} while (change > 0.7 && step < 200);
	printf("%d steps, change %a\n", step, change);
	for (int i = 0; i < N; i += 13)
		printf("%a %a\n", plate[from][i][N / 2], plate[from][5][i]);
	return 0;
}
