/* SPDX-License-Identifier: GPL-2.0-or-later */
/* prime.h - the sizes of PRIME and the check of its count. */
#ifndef BENCH_PRIME_H
#define BENCH_PRIME_H

#include "program.h"

#define PRIME_LIMIT 100000 /* n by default */
#define PRIME_MOST  100000000

/* Counts with the sieve of Eratosthenes. */
static inline int check_count(int n, int count)
{
	char *composite = allocate((size_t)n + 1, 1);

	for (long i = 2; i <= n; i++) {
		count -= !composite[i];
		for (long j = i * i; j <= n; j += i)
			composite[j] = 1;
	}
	free(composite);
	return count == 0;
}

static inline void print_count(int n, int count)
{
	printf("prime: %d prime numbers up to %d\n", count, n);
}

#endif
