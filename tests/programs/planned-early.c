/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a loop reads under a condition that never holds on some nodes: the compiler reads it before
 * the loop, on all of them.
 */
#include <stdio.h>

#define N 6000
#define M 20000

static unsigned short few[N] __attribute__((aligned(4096)));
static unsigned many[M], sum;

int main(void)
{
	for (int r = 0; r < 5; r++) {
#pragma omp parallel for
		for (int i = 0; i < N; i++)
			few[i] += r + i;
#pragma omp parallel for schedule(static, 1)
		for (int i = 0; i < M; i++)
			if (i % 3 == 0)
				many[i] += few[356] + i;
		sum += many[3];
	}
	for (int i = 0; i < M; i++)
		sum = sum * 31 + many[i];
	printf("%u\n", sum);
	return 0;
}
