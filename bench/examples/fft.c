/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fft.c - the fast Fourier transform of a sum of tones, and back.
 *
 * Usage: fft [bits]      for 2^bits points.  Ends with 1 if the spectrum or the way back is wrong.
 */
#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double turn = 6.283185307179586;

static unsigned reverse(unsigned number, int bits)
{
	unsigned result = 0;

	for (int i = 0; i < bits; i++)
		result |= (number >> i & 1) << (bits - 1 - i);
	return result;
}

/* In place; SIGN is -1 for the transform and 1 for its inverse, which is not scaled. */
static void transform(double complex *data, int bits, int sign)
{
	unsigned n = 1U << bits;

#pragma omp parallel
	{
#pragma omp for
		for (unsigned i = 0; i < n; i++) {
			unsigned j = reverse(i, bits);

			if (i < j) {
				double complex kept = data[i];

				data[i] = data[j];
				data[j] = kept;
			}
		}
		for (unsigned half = 1; half < n; half *= 2) {
			/* All butterflies of one stage are independent of each other. */
#pragma omp for schedule(static)
			for (unsigned k = 0; k < n / 2; k++) {
				unsigned low = k / half * half * 2 + k % half, high = low + half;
				double angle = sign * turn * (k % half) / (2 * half);
				double complex odd = data[high] * cexp(I * angle);

				data[high] = data[low] - odd;
				data[low] += odd;
			}
		}
	}
}

static double complex signal(unsigned i, unsigned n)
{
	return 3 * cos(turn * 5 * i / n) + 2 * sin(turn * (n / 4 - 1) * i / n) + 0.5;
}

int main(int argc, char **argv)
{
	int bits = argc > 1 ? atoi(argv[1]) : 12;
	unsigned n = 1U << bits, peaks = 0;
	double complex *data = malloc(n * sizeof(*data));
	double worst = 0;

#pragma omp parallel for
	for (unsigned i = 0; i < n; i++)
		data[i] = signal(i, n);
	transform(data, bits, -1);
#pragma omp parallel for reduction(+ : peaks)
	for (unsigned i = 0; i < n; i++)
		peaks += cabs(data[i]) > 1e-6 * n;
	transform(data, bits, 1);
#pragma omp parallel for reduction(max : worst)
	for (unsigned i = 0; i < n; i++)
		worst = fmax(worst, cabs(data[i] / n - signal(i, n)));
	printf("%u points, %u peaks, %s\n", n, peaks, worst < 1e-9 ? "restored" : "NOT restored");
	free(data);
	return peaks == 5 && worst < 1e-9 ? 0 : 1;
}
