/* SPDX-License-Identifier: GPL-2.0-or-later */
/* loop-asks.c - headers and chunk sizes of parallel loops that ask for the team. */
#include <omp.h>
#include <stdio.h>

static int calls;

static int threads(void)
{
#pragma omp atomic
	calls++;
	return omp_get_num_threads();
}

static void count(int *seen, int add)
{
	int level = 0;

#pragma omp parallel for schedule(static, 1)
	for (int i = 0; i < omp_get_num_threads(); i++)
		seen[i] += omp_get_thread_num() + add;
#pragma omp parallel for collapse(2) lastprivate(level)
	for (int i = 0; i < threads(); i++)
		for (int j = omp_in_parallel(); j < 4; j += omp_get_level()) {
			seen[i] += 10 * j;
			level = 100 * i + j;
		}
	printf("last %d\n", level);
}

int main(void)
{
	int seen[64] = {0}, owner[64] = {0}, sum = 0, threads = omp_get_max_threads();

	count(seen, 1);
	calls = 0;
#pragma omp parallel num_threads(1)
	count(seen, 2);
	for (int i = 0; i <= threads; i++)
		printf("%d ", seen[i]);
#pragma omp parallel for schedule(static, omp_get_num_threads()) reduction(+ : sum)
	for (int i = 0; i < 64; i++) {
		owner[i] = omp_get_thread_num();
		sum += i;
	}
	printf("sum %d, owner", sum);
	for (int i = 0; i < 64; i++)
		printf(" %d", owner[i]);
#pragma omp parallel for schedule(dynamic, omp_get_num_threads())
	for (int i = omp_get_num_threads(); i < 64; i++)
		owner[i] = omp_get_num_threads();
	printf(", then %d\n", owner[63]);
}
