/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vector2.c - VECTOR-2: operations on vectors in two loops (thesis Fig. 4.19).
 *
 * Usage: vector2 [n [m]]
 *
 * Mended: a semicolon was missing; A and Z were private parameters, that is pointers without a
 * value, and of type int, in which 10.25 and 0.025 are lost (appendix A.1.5 has float); the
 * threads' own A and Z grew with the iterations that a thread happened to run, so that B and Y
 * depended on the number of threads.  Here each step starts from the vectors X and W.
 */
#include "../vector2.h"
#include "wtime.h"

static void vector2(int n, int m, const float X[n], const float W[m], float B[n], float Y[m])
{
	int i, j;
	float A[n], Z[m];

#pragma omp parallel private(A, Z, i, j) shared(B, Y)
	{
		fill_vector(n, A);
		fill_vector(m, Z);
#pragma omp for nowait
		for (i = 1; i < n; i++) {
			for (j = 0; j < n; j += 20)
				A[j] = (float)(X[j] + 10.25);
			B[i] = (A[i] + A[i - 1]) / 2;
		}
#pragma omp for nowait
		for (i = 0; i < m; i++) {
			for (j = 0; j < m; j += 20)
				Z[j] = (float)(W[j] * 0.025);
			Y[i] = Z[i] * (float)i;
		}
	}
}

int main(int argc, char **argv)
{
	int n = argument(argc, argv, 1, VECTOR2_SIZE, 1, VECTOR2_MOST);
	int m = argument(argc, argv, 2, VECTOR2_SIZE, 1, VECTOR2_MOST);
	float *B = allocate((size_t)n, sizeof(*B)), *Y = allocate((size_t)m, sizeof(*Y));
	float *X = allocate((size_t)n, sizeof(*X)), *W = allocate((size_t)m, sizeof(*W));
	double started;
	int good;

	fill_vector(n, X);
	fill_vector(m, W);
	started = common_clock();
	vector2(n, m, X, W, B, Y);
	report_time("vector2", common_clock() - started);
	print_vectors(n, m, B, Y);
	good = check_vectors(n, m, B, Y);
	free(B);
	free(Y);
	free(X);
	free(W);
	return verdict("vector2", good);
}
