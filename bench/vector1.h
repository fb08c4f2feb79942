/* SPDX-License-Identifier: GPL-2.0-or-later */
/* vector1.h - the vectors of VECTOR-1 and the check of what becomes of them. */
#ifndef BENCH_VECTOR1_H
#define BENCH_VECTOR1_H

#include "program.h"

#define VECTOR1_SIZE 100000 /* n by default; the vectors are on the stack */
#define VECTOR1_MOST 1000000

static inline void fill_vectors(int n, float A[n], float B[n])
{
	for (int i = 0; i < n; i++) {
		A[i] = (float)scrambled((unsigned int)i);
		B[i] = (float)scrambled(~(unsigned int)i);
	}
}

/* What the two sections leave in C and D, element by element. */
static inline int check_vectors(int n, const float C[n], const float D[n])
{
	int good = 1;

	for (int i = 0; i < n; i++) {
		float a = (float)scrambled((unsigned int)i), b = (float)scrambled(~(unsigned int)i);
		float small = a, large = b;

		for (int step = 0; i % 25 == 0 && step <= i; step++) {
			small = (float)(small * 0.15);
			large = (float)(large + 10.25);
		}
		good &= C[i] == small + b && D[i] == a * large;
	}
	return good;
}

static inline void print_vectors(int n, const float C[n], const float D[n])
{
	printf("vector1: n %d, C %016lx, D %016lx\n", n, hash(C, (size_t)n * sizeof(*C)),
	       hash(D, (size_t)n * sizeof(*D)));
}

#endif
