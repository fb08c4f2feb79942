/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A loop that calls by a pointer; its pragma is right or, as SAID has it, wrong. */
#include <stdio.h>
#include <stdlib.h>

#define SIZE	      4000
#define WORDS(text)   _Pragma(#text)
#define PRAGMA(words) WORDS(words)

static double a[SIZE], b[SIZE], c[SIZE];

static void put(double *to, const double *from, int i)
{
	to[i] = from[i] + from[i + 1];
}

static void (*volatile call)(double *, const double *, int) = put;

int main(void)
{
	double *all = calloc(SIZE, sizeof(double));
	long n = SIZE, low = -SIZE;
	double sum = 0;

	(void)n, (void)low;
	for (int i = 0; i < SIZE; i++)
		a[i] = i % 17;
	for (int round = 0; round < 4; round++) {
		void (*function)(double *, const double *, int) = call;

		PRAGMA(cape SAID)
#pragma omp parallel for
		for (int i = 0; i < SIZE - 1; i++)
			function(b, a, i);
#pragma omp parallel for
		for (int i = 0; i < SIZE; i++)
			c[i] = b[SIZE - 1 - i];
#pragma omp parallel for
		for (int i = 0; i < SIZE; i++)
			a[i] += c[i] / 2;
	}
	for (int i = 0; i < SIZE; i++)
		sum += a[i] * (i % 5) + all[i];
	printf("%.4f\n", sum);
	free(all);
	return 0;
}
