/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pragma-header.h - loops with pragmas for pragma-sources.c, as a library of templates would. */
static void header_fill(int *values, int n, int start)
{
#pragma omp parallel for
	for (int i = 0; i < n; i++)
		values[i] = start + i;
}

static long header_sum(const int *values, int n)
{
	long sum = 0;

#pragma omp parallel
	{
#pragma omp for reduction(+ : sum)
		for (int i = 0; i < n; i++)
			sum += values[i];
	}
	return sum;
}
