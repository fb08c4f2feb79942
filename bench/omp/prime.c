/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * prime.c - PRIME: counts the prime numbers from 1 to n (thesis Fig. 4.16).
 *
 * Usage: prime [n]
 *
 * Mended: the figure breaks its directive over three lines without backslashes.
 */
#include "../prime.h"
#include "wtime.h"

static int count_prime(int n)
{
	int i, j, prime, total = 0;

#pragma omp parallel for shared(n) private(j, prime) reduction(+ : total)
	for (i = 2; i <= n; i++) {
		prime = 1;
		for (j = 2; j < i; j++) {
			if (i % j == 0) {
				prime = 0;
				break;
			}
		}
		total = total + prime;
	}
	return total;
}

int main(int argc, char **argv)
{
	int n = argument(argc, argv, 1, PRIME_LIMIT, 1, PRIME_MOST);
	double started = start_clock();
	int total = count_prime(n);

	report_time("prime", common_clock() - started);
	print_count(n, total);
	return verdict("prime", check_count(n, total));
}
