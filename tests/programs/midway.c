// SPDX-License-Identifier: GPL-2.0-or-later
/* Regions that last, which nodes may run in whole from one sync point on, and share out again. */
#include <stdio.h>
#include <stdlib.h>

#define SIZE   2000
#define ROUNDS 80

static int number[SIZE], sorted[SIZE], bins[8], largest;
static double value[SIZE], row[SIZE];

static double mixed(double one, double other)
{
	return one * .75 + other * .25;
}

/* As neighbours are compared in turn. */
static void sort(int *list, int rounds)
{
	int i, other;

#pragma omp parallel private(i, other)
	for (int round = 0; round < rounds; round++) {
#pragma omp for
		for (i = round % 2; i < SIZE - 1; i += 2) {
			if (list[i] <= list[i + 1])
				continue;
			other = list[i];
			list[i] = list[i + 1];
			list[i + 1] = other;
		}
	}
}

static void relax(double *from, double *to, int *steps)
{
	int even = 0;
	double *block = NULL, *first = from;

#pragma omp parallel firstprivate(from, to)
	for (int round = 0; round < ROUNDS; round++) {
		double *swapped = from;

#pragma omp for nowait
		for (int i = 1; i < SIZE - 1; i++)
			to[i] = mixed(from[i - 1], from[i + 1]);
#pragma omp master
		to[0] = round;
#pragma omp barrier
#pragma omp for reduction(+ : even) schedule(dynamic, 100)
		for (int i = 0; i < SIZE; i++)
			even += (long)(to[i] * 100) % 2 == 0;
#pragma omp single
		{
			block = malloc((size_t)(round + 1) * sizeof(*block));
			for (int i = 0; i <= round; i++)
				block[i] = to[i] + even;
			to[round] += block[round / 2] * .001;
			++*steps;
		}
#pragma omp for
		for (int i = 0; i < 8; i++)
			bins[i] += (int)to[i * 100] % 7;
#pragma omp single
		free(block);
		from = to;
		to = swapped;
	}
	for (int i = 0; i < SIZE; i++)
		value[i] = first[i];
}

/* Known loops before others, and what lies on one page with what they write. */
static void turn(int rounds)
{
	static unsigned one[16], two[16], three[16];
	static unsigned long odd = 3, sum;

	for (int k = 0; k < rounds; k++) {
#pragma omp parallel if (k % 3)
		{
#pragma omp for
			for (int i = 0; i < 16; i++)
				one[i] = one[i] * 5 + (unsigned)i;
			if (odd & 1) {
#pragma omp barrier
#pragma omp for schedule(dynamic)
				for (int i = 15; i >= 0; i--)
					two[i] = two[i] * 5 + one[i] * 3;
#pragma omp for
				for (int i = 15; i >= 0; i--)
					three[i]++;
#pragma omp barrier
			}
#pragma omp barrier
#pragma omp single
			{
				odd = odd * 3 + two[14] % 2;
				sum = sum * 3 % 1000 + three[1];
			}
		}
#pragma omp parallel
		{
#pragma omp single
			sum++;
		}
	}
	for (int i = 0; i < 16; i++)
		sum = sum * 31 + one[i] + two[i] + three[i];
	printf("%lu %lu\n", odd, sum);
}

int main(void)
{
	int steps = 0;
	unsigned long hash = 0;

	for (int i = 0; i < SIZE; i++) {
		number[i] = i * 7919 % 1009;
		value[i] = number[i];
	}
	sort(number, 100);
	for (int again = 0; again < 3; again++)
		relax(value, row, &steps);
#pragma omp parallel
	{
		int limit = 0;

		while (limit < SIZE) {
			limit += SIZE / 40;
#pragma omp for lastprivate(largest)
			for (int i = 0; i < limit; i++) {
				largest = number[i] > i ? number[i] : i;
				sorted[i] += largest;
			}
#pragma omp barrier
		}
	}
	sort(sorted, 60);
	/* Some nodes have no part in it. */
#pragma omp parallel num_threads(2)
	for (int round = 0; round < 40; round++) {
#pragma omp single
		steps += round;
#pragma omp for
		for (int i = 0; i < SIZE; i++)
			number[i] += steps % 5;
	}
	turn(40);
	for (int i = 0; i < SIZE; i++)
		hash = hash * 31 + (unsigned long)number[i] + (unsigned long)sorted[i] +
		       (unsigned long)(value[i] * 1000);
	for (int i = 0; i < 8; i++)
		printf("%d ", bins[i]);
	printf("%d %d %lu\n", steps, largest, hash);
	return 0;
}
