/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sample.h - repeated measurements of a time, and how their median and spread are printed.
 */
#ifndef CAPE_BENCH_SAMPLE_H
#define CAPE_BENCH_SAMPLE_H

#include <stdio.h>
#include <stdlib.h>

#define SAMPLES 15

static inline int sample_compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Prints name, median, lower and upper quartile of COUNT times in seconds, as microseconds. */
static inline void sample_print(const char *name, double *times, int count)
{
	qsort(times, (size_t)count, sizeof(*times), sample_compare);
	printf("%s %.3f %.3f %.3f\n", name, times[count / 2] * 1e6, times[count / 4] * 1e6,
	       times[count * 3 / 4] * 1e6);
	fflush(stdout);
}

/* The work between two constructs: LENGTH steps that no compiler leaves out. */
static inline void sample_work(int length)
{
	volatile float sum = 0;

	for (int i = 0; i < length; i++)
		sum += (float)i;
}

#endif
