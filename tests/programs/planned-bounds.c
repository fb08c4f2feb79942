// SPDX-License-Identifier: GPL-2.0-or-later
/* What a known loop writes is what the next ones begin with: their bounds, steps, chunks, values.
 */
#include <stdio.h>

#define N 3000

static unsigned a[N], b[N];
static int first, last, step, chunk, value;

static void one_round(unsigned round)
{
#pragma omp parallel
	{
#pragma omp for
		for (int i = 0; i < N; i++) {
			a[i] ^= round + i;
			if (i == 0)
				last = N - (int)round;
			if (i == 1)
				first = (int)round * 3;
			if (i == N / 2)
				step = (int)round + 1;
			if (i == N / 2 + 1)
				chunk = (int)round + 5;
			if (i == N - 1)
				value = (int)round * 7;
		}
#pragma omp for
		for (int i = 0; i < N; i++)
			b[i] += a[N - 1 - i];
#pragma omp for
		for (int i = first; i < last; i++)
			a[i] += 3 * i + round;
#pragma omp for
		for (int i = 0; i < N; i++)
			b[i] += a[N - 1 - i];
#pragma omp for
		for (int i = 0; i < N; i += step)
			a[i] += 5 * i;
#pragma omp for
		for (int i = 0; i < N; i++)
			b[i] += a[N - 1 - i];
#pragma omp for schedule(static, chunk)
		for (int i = 0; i < N; i++)
			a[i] ^= i;
#pragma omp for
		for (int i = 0; i < N; i++)
			b[i] += a[N - 1 - i];
#pragma omp for firstprivate(value)
		for (int i = 0; i < N; i++)
			a[i] += value;
#pragma omp for collapse(2)
		for (int i = 0; i < last / 100; i++)
			for (int j = 0; j < step; j++)
				b[i * 100 + j] += a[i + j];
	}
}

int main(void)
{
	unsigned sum = 0;

	for (unsigned round = 0; round < 8; round++)
		one_round(round);
	for (int i = 0; i < N; i++)
		sum = sum * 31 + a[i] * 3 + b[i];
	printf("%u\n", sum);
	return 0;
}
