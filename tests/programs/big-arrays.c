/* SPDX-License-Identifier: GPL-2.0-or-later */
/* big-arrays.c - 64 MB of static memory touched sparsely, a large heap block, a large local. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BIG (64UL << 20)

static unsigned char memory[BIG];
static int sparse[1 << 20];

static long local_sum(void)
{
	int large[200000];
	long sum = 0;

	memset(large, 0, sizeof(large));
#pragma omp parallel for
	for (int i = 0; i < 200; i++)
		large[i * 1000 + i] = i;
#pragma omp parallel for reduction(+ : sum)
	for (int i = 0; i < 200000; i++)
		sum += large[i] * (i % 1000 + 1L);
	return sum;
}

int main(void)
{
	long *heap = calloc(1 << 21, sizeof(long)), sum = 0;

	for (int round = 1; round <= 3; round++) {
#pragma omp parallel
		{
			/* One byte each now and then: far apart, at page ends, in the middle. */
#pragma omp for
			for (unsigned long i = 0; i < 64; i++) {
				memory[(i << 20) + (unsigned long)round] = (unsigned char)(i + 1);
				memory[(i << 20) + 4095] += (unsigned char)round;
			}
#pragma omp for schedule(static, 1)
			for (int i = 0; i < 100; i++)
				heap[i * 20011 + round] = i * round;
#pragma omp single
			sparse[(1 << 20) - 1] = sparse[0] = round;
		}
	}
	memory[BIG - 1] = 9;
#pragma omp parallel for reduction(+ : sum)
	for (unsigned long i = 0; i < BIG; i += 1UL << 12)
		sum += memory[i + 1] + memory[i + 2] + memory[i + 3] + memory[i + 4095];
	for (long i = 0; i < 1 << 21; i += 7)
		sum += heap[i];
	printf("%ld %d %ld\n", sum, sparse[(1 << 20) - 1], local_sum());
	free(heap);
	return 0;
}
