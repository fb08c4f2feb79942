/* SPDX-License-Identifier: GPL-2.0-or-later */
/* default-none.c - default(none) and default(shared), with everything named that must be. */
#include <omp.h>
#include <stdio.h>

static const int constant = 12;
static int table[30];

static long work(int n, int *array, const double *weights)
{
	long sum = 0;
	int i, shift = 2, last = 0;

#pragma omp parallel for default(none) shared(n, array, weights, table) firstprivate(shift)        \
	private(i) reduction(+ : sum) lastprivate(last)
	for (i = 0; i < n; i++) {
		int local = array[i] << shift;

		table[i] = local + (int)weights[i % 3];
		sum += table[i];
		last = local;
	}
#pragma omp parallel default(none) shared(table, n, last)
	{
		static int shared_static;
		int mine = omp_get_thread_num();

#pragma omp for
		for (int k = 0; k < n; k++)
			table[k] += last + mine - mine;
#pragma omp master
		shared_static++;
	}
#pragma omp parallel default(shared) private(shift)
	{
		shift = 1;
#pragma omp for reduction(+ : sum)
		for (i = 0; i < n; i++)
			sum += table[i] << shift;
	}
	return sum + constant;
}

int main(void)
{
	int array[30];
	double weights[3] = {1.5, 2.5, 3.5};

	for (int i = 0; i < 30; i++)
		array[i] = i % 7;
	printf("%ld\n", work(30, array, weights));
	printf("%ld %d\n", work(5, array, weights), table[29]);
	return 0;
}
