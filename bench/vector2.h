/* SPDX-License-Identifier: GPL-2.0-or-later */
/* vector2.h - the vectors of VECTOR-2 and the check of what becomes of them. */
#ifndef BENCH_VECTOR2_H
#define BENCH_VECTOR2_H

#include "program.h"

#define VECTOR2_SIZE 80000 /* n and m by default; A and Z are on the stack */
#define VECTOR2_MOST 1600000

/* What A starts from, and Z. */
static inline void fill_vector(int n, float vector[n])
{
	for (int i = 0; i < n; i++)
		vector[i] = (float)scrambled((unsigned int)i);
}

static inline int check_vectors(int n, int m, const float B[n], const float Y[m])
{
	int good = B[0] == 0;
	float before = (float)(scrambled(0) + 10.25);

	for (int i = 1; i < n; i++) {
		float a = (float)scrambled((unsigned int)i);

		if (i % 20 == 0)
			a = (float)(a + 10.25);
		good &= B[i] == (a + before) / 2;
		before = a;
	}
	for (int i = 0; i < m; i++) {
		float z = (float)scrambled((unsigned int)i);

		if (i % 20 == 0)
			z = (float)(z * 0.025);
		good &= Y[i] == z * (float)i;
	}
	return good;
}

static inline void print_vectors(int n, int m, const float B[n], const float Y[m])
{
	printf("vector2: n %d, m %d, B %016lx, Y %016lx\n", n, m, hash(B, (size_t)n * sizeof(*B)),
	       hash(Y, (size_t)m * sizeof(*Y)));
}

#endif
