/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mamult2d.h - the matrices of MAMULT2D and the check of their product. */
#ifndef BENCH_MAMULT2D_H
#define BENCH_MAMULT2D_H

#include "program.h"

#define MAMULT2D_SIZE 1000 /* n by default */
#define MAMULT2D_MOST 30000

static inline void fill_matrices(int n, int A[n][n], int B[n][n])
{
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++) {
			A[i][j] = scrambled((unsigned int)(i * n + j));
			B[i][j] = scrambled(~(unsigned int)(i * n + j));
		}
}

static inline void multiply_vector(int n, int M[n][n], const long *vector, long *product)
{
	for (int i = 0; i < n; i++) {
		product[i] = 0;
		for (int j = 0; j < n; j++)
			product[i] += M[i][j] * vector[j];
	}
}

/* Freivalds' check: C v = A (B v) for a vector v without pattern, and v = 1, 1, 1 ... */
static inline int check_product(int n, int A[n][n], int B[n][n], int C[n][n])
{
	long *v = allocate((size_t)n, sizeof(*v)), *Bv = allocate((size_t)n, sizeof(*v));
	long *ABv = allocate((size_t)n, sizeof(*v)), *Cv = allocate((size_t)n, sizeof(*v));
	int good = 1;

	for (int round = 0; round < 2; round++) {
		for (int i = 0; i < n; i++)
			v[i] = round ? 1 : scrambled(12345U + (unsigned int)i);
		multiply_vector(n, B, v, Bv);
		multiply_vector(n, A, Bv, ABv);
		multiply_vector(n, C, v, Cv);
		for (int i = 0; i < n; i++)
			good &= ABv[i] == Cv[i];
	}
	free(v);
	free(Bv);
	free(ABv);
	free(Cv);
	return good;
}

static inline void print_product(int n, int C[n][n])
{
	printf("mamult2d: n %d, C[0][0] %d, hash %016lx\n", n, C[0][0],
	       hash(C, (size_t)n * (size_t)n * sizeof(int)));
}

#endif
