/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Directives in a header and in a macro. */
#ifndef HEADER_H
#define HEADER_H

#define THREADS 3
#define SCALE(array, count, factor)                                                                \
	do {                                                                                       \
		_Pragma("omp parallel for num_threads(THREADS)") for (int q = 0; q < (count); q++) \
			(array)[q] *= (factor);                                                    \
	} while (0)

static inline int header_sum(const int *values, int n)
{
	int sum = 0;

#pragma omp parallel for reduction(+ : sum)
	for (int i = 0; i < n; i++)
		sum += values[i];
	return sum;
}

#endif
