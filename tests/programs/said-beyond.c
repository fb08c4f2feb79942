/* SPDX-License-Identifier: GPL-2.0-or-later */
/* #pragma cape with ranges beyond all memory that there is: the loops run as if they had none. */
#include <stdio.h>
#include <stdlib.h>

#define SIZE 4000

static double a[SIZE], b[SIZE];

static void put(double *to, const double *from, int i)
{
	to[i] = from[i] / 2 + from[SIZE - 1 - i];
}

static void (*volatile call)(double *, const double *, int) = put;

int main(void)
{
	void (*function)(double *, const double *, int) = call;
	double *p = calloc(SIZE, sizeof(*p)), *none = NULL, sum = 0;
	long all = 1l << 40, most = 0x7fffffffffffffff, few = -SIZE;
	unsigned int zero = 0;

	(void)all, (void)most, (void)few, (void)zero, (void)none;
	for (int i = 0; i < SIZE; i++)
		a[i] = i % 17;
	for (int round = 0; round < 3; round++) {
#pragma cape reads(a[i], a[SIZE - 1 - i], p [0:all]) writes(b[i])
#pragma omp parallel for
		for (int i = 0; i < SIZE; i++)
			function(b, a, i);
#pragma cape reads(b) writes(a[i], p [0:all])
#pragma omp parallel for
		for (int i = 0; i < SIZE; i++)
			function(a, b, i);
#pragma cape reads(a, p [i * all / SIZE:all / SIZE]) writes(b[i], p [0:few])
#pragma omp parallel for
		for (int i = 0; i < SIZE; i++)
			function(b, a, i);
#pragma cape reads(b, p [i:most]) writes(a[i], p [i * all / SIZE:all / SIZE])
#pragma omp parallel for
		for (int i = 0; i < SIZE; i++)
			function(a, b, i);
#pragma cape reads(a, none[i], p [i:zero - 1]) writes(b[i], none [i:9], *(char *)(i * all * i))
#pragma omp parallel for
		for (int i = 0; i < SIZE; i++)
			function(b, a, i);
#pragma omp parallel for
		for (int i = 0; i < SIZE; i++)
			a[i] = b[SIZE - 1 - i] / 4 + p[i];
	}
	for (int i = 0; i < SIZE; i++)
		sum += a[i] * (i % 5);
	printf("%.6f\n", sum);
	free(p);
	return 0;
}
