/* SPDX-License-Identifier: GPL-2.0-or-later */
/* atomic-histogram.c - a histogram by a million atomic updates, and one of bytes and shorts. */
#include <stdio.h>

#define N 1000000

static unsigned bins[257];
static unsigned char bytes[64];
static unsigned short shorts[32];
static float weights[16];

static unsigned next(unsigned state)
{
	return state * 1664525U + 1013904223U;
}

int main(void)
{
	unsigned long sum = 0, weighted = 0;

#pragma omp parallel for
	for (int i = 0; i < N; i++) {
		unsigned random = next(next((unsigned)i));

#pragma omp atomic
		bins[(random >> 16) % 257]++;
	}
#pragma omp parallel for schedule(static, 100)
	for (int i = 0; i < 20000; i++) {
		unsigned random = next((unsigned)i);

#pragma omp atomic
		bytes[random >> 10 & 63] += 3;
#pragma omp atomic
		shorts[random >> 12 & 31] ^= (unsigned short)i;
#pragma omp atomic
		weights[random >> 8 & 15] += 0.25F;
	}
	for (int i = 0; i < 257; i++) {
		sum += bins[i];
		weighted += (unsigned long)i * bins[i];
	}
	printf("%lu %lu\n", sum, weighted);
	for (int i = 0; i < 64; i++)
		printf("%d ", bytes[i]);
	for (int i = 0; i < 32; i++)
		printf("%d ", shorts[i]);
	for (int i = 0; i < 16; i++)
		printf("%.2f ", (double)weights[i]);
	putchar('\n');
	return 0;
}
