/* SPDX-License-Identifier: GPL-2.0-or-later */
/* simd.c - simd changes nothing: alone, on a worksharing loop, on a combined construct. */
#include <stdio.h>

#define N 777

static float x[N], y[N];

#pragma omp declare simd
static float twice(float value)
{
	return value * 2;
}

int main(void)
{
	double sum = 0, dot = 0;
	int last = 0;

#pragma omp simd
	for (int i = 0; i < N; i++)
		x[i] = (float)(i % 17);
#pragma omp parallel
	{
#pragma omp for simd
		for (int i = 0; i < N; i++)
			y[i] = twice(x[i]) + 1;
#pragma omp for simd schedule(static, 16) reduction(+ : sum) safelen(8)
		for (int i = 0; i < N; i++)
			sum += y[i];
	}
#pragma omp parallel for simd reduction(+ : dot) lastprivate(last)
	for (int i = 0; i < N; i++) {
		dot += x[i] * y[i];
		last = i;
	}
#pragma omp simd reduction(+ : sum) collapse(2)
	for (int i = 0; i < 5; i++)
		for (int j = 0; j < 5; j++)
			sum += i * j;
	printf("%.1f %.1f %d\n", sum, dot, last);
	return 0;
}
