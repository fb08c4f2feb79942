/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fft.c - radix-2 FFT of complex numbers, forth and back, with a parallel loop per stage. */
#include <complex.h>
#include <math.h>
#include <stdio.h>

#define BITS 10
#define N    (1 << BITS)

static double complex data[N], original[N], roots[N];

static void reverse(void)
{
#pragma omp parallel for schedule(static, 32)
	for (int i = 0; i < N; i++) {
		int j = 0;

		for (int bit = 0; bit < BITS; bit++)
			j |= (i >> bit & 1) << (BITS - 1 - bit);
		if (i < j) {
			double complex swap = data[i];

			data[i] = data[j];
			data[j] = swap;
		}
	}
}

static void transform(int sign)
{
#pragma omp parallel for
	for (int i = 0; i < N; i++)
		roots[i] = cexp(sign * 2 * M_PI * I * i / N);
	reverse();
	for (int half = 1; half < N; half *= 2) {
#pragma omp parallel for
		for (int k = 0; k < N / 2; k++) {
			int place = k / half * half * 2 + k % half;
			double complex odd = data[place + half] * roots[k % half * (N / half / 2)];

			data[place + half] = data[place] - odd;
			data[place] += odd;
		}
	}
}

int main(void)
{
	double error = 0;

	for (int i = 0; i < N; i++)
		original[i] = data[i] = sin(i * 0.1) + (i % 17) * I;
	transform(-1);
	printf("%.6f %.6f %.6f\n", creal(data[0]), cimag(data[0]), cabs(data[16]));
	transform(1);
#pragma omp parallel for reduction(max : error)
	for (int i = 0; i < N; i++)
		error = fmax(error, cabs(data[i] / N - original[i]));
	printf("%s\n", error < 1e-12 ? "the same again" : "different");
	return 0;
}
