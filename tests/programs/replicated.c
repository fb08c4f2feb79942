// SPDX-License-Identifier: GPL-2.0-or-later
/* Regions that every node may run in whole, between others, in any order. */
#include <stdio.h>
#include <stdlib.h>

#define SIZE   3000
#define ROUNDS 60

static int one[SIZE], other[SIZE], bins[16], found;
static double value[SIZE];

static int next(int number)
{
	return (number * 1103 + 12345) % 8191;
}

int main(void)
{
	int *from = one, *to = other, last = 0, *block;
	double sum = 0;
	long hash = 0;

#pragma omp parallel for
	for (int i = 0; i < SIZE; i++)
		from[i] = next(i);
	for (int round = 0; round < ROUNDS; round++) {
		int even = 0;

#pragma omp parallel for
		for (int i = 0; i < SIZE; i++)
			to[i] = from[i ? i - 1 : 0] + from[(i * 7 + round) % SIZE] % 100;
#pragma omp parallel for reduction(+ : even) schedule(dynamic, 200)
		for (int i = 0; i < SIZE; i++)
			even += to[i] % 2 == 0;
#pragma omp parallel for
		for (int i = 0; i < SIZE; i += 3) {
#pragma omp atomic
			bins[to[i] & 15]++;
		}
		to[round] += even;
#pragma omp parallel
		{
#pragma omp for lastprivate(last)
			for (int i = 0; i < SIZE; i++) {
				last = next(to[i]);
				value[i] += last * .5;
			}
#pragma omp for
			for (int i = 0; i < SIZE; i++)
				to[i] = to[i] % 5000 + (int)value[SIZE - 1 - i] % 3;
#pragma omp single
			found += last;
		}
#pragma omp parallel for reduction(+ : sum)
		for (int i = 0; i < SIZE; i++)
			sum += value[i] * .25;
		block = malloc(sizeof(*block) * (size_t)(round + 1));
#pragma omp parallel for
		for (int i = 0; i <= round; i++)
			block[i] = to[i] + last;
		hash = (hash * 31 + block[round] + even) % 1000003;
		free(block);
		block = from;
		from = to;
		to = block;
	}
	for (int i = 0; i < SIZE; i++)
		hash = (hash * 31 + one[i] + other[i] + bins[i % 16]) % 1000003;
	printf("%ld %d %.2f\n", hash, found, sum);
	return 0;
}
