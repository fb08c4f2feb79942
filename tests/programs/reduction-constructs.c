/* SPDX-License-Identifier: GPL-2.0-or-later */
/* reduction-constructs.c - reductions on parallel, for, sections, with nowait, and on what is
 * shared. */
#include <omp.h>
#include <stdio.h>

static long global_sum = 7;
static int threads_seen;

static void orphan(int *target, int n)
{
#pragma omp for reduction(+ : global_sum)
	for (int i = 0; i < n; i++)
		global_sum += *target;
}

int main(void)
{
	int n = 100, target = 2, first = 0, second = 0, product = 1, lows = 50;
	double mean = 0;

#pragma omp parallel reduction(+ : threads_seen) reduction(max : first)
	{
		threads_seen++;
		first = omp_get_thread_num() + 1;
	}
	printf("%s\n",
	       threads_seen == omp_get_max_threads() && first == threads_seen ? "all" : "some");
	first = 0;
#pragma omp parallel
	{
		orphan(&target, n);
#pragma omp for reduction(+ : first) nowait
		for (int i = 0; i < n; i++)
			first += i;
#pragma omp for reduction(+ : second) nowait schedule(static, 7)
		for (int i = 0; i < n; i++)
			second += 2 * i;
#pragma omp sections reduction(* : product) reduction(min : lows) nowait
		{
#pragma omp section
			product *= 6;
#pragma omp section
			{
				product *= 7;
				lows = lows < 12 ? lows : 12;
			}
		}
#pragma omp barrier
		/* Now the results are there for everybody. */
#pragma omp for reduction(+ : mean)
		for (int i = 0; i < n; i++)
			mean += first + second + product + lows;
#pragma omp single
		printf("%d %d %d %d %.0f\n", first, second, product, lows, mean);
		for (int round = 0; round < 5; round++) {
#pragma omp for reduction(+ : global_sum)
			for (int i = 0; i < round + 1; i++)
				global_sum += i * 1000;
		}
	}
	printf("%ld\n", global_sum);
#pragma omp parallel sections reduction(+ : global_sum)
	{
#pragma omp section
		global_sum += 1;
#pragma omp section
		global_sum += 2;
	}
#pragma omp parallel for if (n < 10) reduction(+ : global_sum)
	for (int i = 0; i < 3; i++)
		global_sum -= 10;
#pragma omp parallel num_threads(1) reduction(* : product)
	product *= 2;
	printf("%ld %d\n", global_sum, product);
	return 0;
}
