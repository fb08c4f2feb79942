/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mamult2d.c - MAMULT2D: multiplies two square matrices (thesis Fig. 4.15).
 *
 * Usage: mamult2d [n]
 *
 * Mended: the figure declares one-dimensional A, B, C and uses two-dimensional a, b, c; it does
 * not declare i, j and k, and j and k must be private.
 */
#include "../mamult2d.h"
#include "wtime.h"

static void matrix_mult(int n, int A[n][n], int B[n][n], int C[n][n])
{
	int i, j, k;

#pragma omp parallel for private(j, k)
	for (i = 0; i < n; i++) {
		for (j = 0; j < n; j++) {
			for (k = 0; k < n; k++)
				C[i][j] += A[i][k] * B[k][j];
		}
	}
}

int main(int argc, char **argv)
{
	int n = argument(argc, argv, 1, MAMULT2D_SIZE, 1, MAMULT2D_MOST);
	size_t elements = (size_t)n * (size_t)n;
	double entered = omp_get_wtime(), started;
	int(*A)[n] = allocate(elements, sizeof(int));
	int(*B)[n] = allocate(elements, sizeof(int));
	int(*C)[n] = allocate(elements, sizeof(int));
	int good;

	fill_matrices(n, A, B);
	started = common_clock();
	report_part("mamult2d", "init", started - entered);
	matrix_mult(n, A, B, C);
	report_time("mamult2d", common_clock() - started);
	print_product(n, C);
	good = check_product(n, A, B, C);
	free(A);
	free(B);
	free(C);
	return verdict("mamult2d", good);
}
