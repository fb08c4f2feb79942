/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * threadprivate-pages.c - a threadprivate variable that is written in front of a barrier only, in a
 * page of its own of much memory of which little is written.
 */
#include <stdio.h>

#define MUCH   (1 << 20)
#define ROUNDS 24

static struct apart {
	char front[8192];
	long value;
	char behind[8192];
} own;
#pragma omp threadprivate(own)

static long much[MUCH];

/* Node 0 prints the sum; the others add to it what they found in OWN behind a region. */
int main(void)
{
	long sum = 0;

	for (int i = 0; i < MUCH; i++)
		much[i] = i;
	for (int round = 0; round < ROUNDS; round++) {
#pragma omp parallel
		{
			own.value += 10;
#pragma omp barrier
		}
		for (int i = 0; i < MUCH; i += MUCH / 16)
			much[i] += own.value;
#pragma omp parallel for reduction(+ : sum)
		for (int i = 0; i < MUCH; i += MUCH / 16)
			sum += much[i];
	}
	printf("%ld %ld\n", own.value, sum);
	return 0;
}
