/* SPDX-License-Identifier: GPL-2.0-or-later */
/* loop-wide-ranges.c - ranges wider than 32 bits, few iterations; unequal types in one loop. */
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	long huge = 1L << 33, sum = 0, last = -1;
	unsigned long usum = 0;
	int small = 5;

	(void)argv;
#pragma omp parallel for reduction(+ : sum) lastprivate(last)
	for (long i = 0; i < huge; i += 1L << 20) {
		sum += i >> 20;
		last = i;
	}
	printf("%ld %ld\n", sum, last);

#pragma omp parallel for reduction(+ : usum)
	for (unsigned long i = 0xfffffffffff00000UL; i > 0x8000000000000000UL; i -= 1UL << 53)
		usum += i >> 20;
	printf("%lx\n", usum);

	/* Never entered with these arguments, yet its 2^33 iterations have to be counted. */
	if (argc > 100) {
#pragma omp parallel for reduction(+ : sum)
		for (long i = 0; i < huge; i++)
			sum += labs(i - sum % 3);
	}
	sum = 0;
#pragma omp parallel for reduction(+ : sum) schedule(static, 3)
	for (long i = -small; i <= small; i += 2)
		sum += i * i;
	printf("%ld\n", sum);

	sum = 0;
#pragma omp parallel for reduction(+ : sum)
	for (int i = 0; i < small * 3L; i++)
		sum += i;
	printf("%ld\n", sum);

	/* 2^33 iterations of an outer loop that is skipped by an inner one without any. */
	sum = 7;
#pragma omp parallel for collapse(2) reduction(+ : sum)
	for (long i = 0; i < huge; i++)
		for (int j = small; j < 5; j++)
			sum++;
	printf("%ld\n", sum);
	return 0;
}
