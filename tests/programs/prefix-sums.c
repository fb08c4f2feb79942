/* SPDX-License-Identifier: GPL-2.0-or-later */
/* prefix-sums.c - prefix sums by blocks: thread numbers used to divide work by hand. */
#include <omp.h>
#include <stdio.h>

#define N 1003

static long values[N], offsets[65];
static int sieve[2000], primes[400];

int main(void)
{
	int found = 0;

#pragma omp parallel
	{
		int me = omp_get_thread_num(), threads = omp_get_num_threads();
		int first = N * me / threads, end = N * (me + 1) / threads;
		long sum = 0;

		for (int i = first; i < end; i++) {
			sum += i % 10;
			values[i] = sum;
		}
		offsets[me + 1] = sum;
#pragma omp barrier
#pragma omp single
		for (int i = 0; i < threads; i++)
			offsets[i + 1] += offsets[i];
		for (int i = first; i < end; i++)
			values[i] += offsets[me];
	}
	for (int i = 2; i < N; i += 143)
		printf("%ld ", values[i]);
	printf("%ld\n", values[N - 1]);
	/* A sieve, the inner loop shared out. */
	for (int i = 2; i < 45; i++) {
		if (sieve[i])
			continue;
#pragma omp parallel for
		for (int j = i * i; j < 2000; j += i)
			sieve[j] = 1;
	}
	for (int i = 2; i < 2000; i++)
		if (!sieve[i])
			primes[found++] = i;
	printf("%d %d\n", found, primes[found - 1]);
	return 0;
}
