/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pragma-sources.c - pragmas from a header, from _Pragma, from macros, in continued lines. */
#include <stdio.h>
#include "pragma-header.h"

#define PRAGMA(...)  _Pragma(#__VA_ARGS__)
#define PARALLEL_FOR _Pragma("omp parallel for")
#define SUM_LOOP(var, type) PRAGMA(omp parallel for reduction(+ : var) schedule(type, CHUNK))
#define CHUNK	       3
#define FOR_EACH(i, n) PARALLEL_FOR for (int i = 0; i < (n); i++)
#define IN_TURN(body)                                                                              \
	do {                                                                                       \
		PRAGMA(omp single)                                                                 \
		body                                                                               \
	} while (0)

static int values[40];

int main(void)
{
	long sum = 0;
	int turns = 0;

	header_fill(values, 40, 7);
	printf("%ld\n", header_sum(values, 40));
	FOR_EACH(k, 40)
	values[k] *= 2;
	FOR_EACH(k, 10)
	{
		values[k]++;
	}
	SUM_LOOP(sum, static)
	for (int i = 0; i < 40; i++)
		sum += values[i];
	printf("%ld\n", sum);
	_Pragma("omp parallel for schedule(static,CHUNK)") for (int i = 0; i < 40; i++) values[i]--;
#pragma omp parallel for reduction(+ : sum) schedule(static, /* a comment */ 5) // and another
	for (int i = 0; i < 40; i++)
		sum -= values[i];
#pragma omp parallel
	{
		IN_TURN({ turns++; });
		IN_TURN(turns += 10;);
#ifdef _OPENMP
#pragma omp for
#endif
		for (int i = 0; i < 5; i++)
			values[i] = turns;
	}
	printf("%ld %d %d %d\n", sum, turns, values[4], values[5]);
	return 0;
}
