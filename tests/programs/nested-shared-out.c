/* SPDX-License-Identifier: GPL-2.0-or-later */
/* nested-shared-out.c - a region inside one whose team has one member is shared out. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#define N 60

static int by[N], threads;

/* How many threads have had a part, as far as there are as many parts. */
static int used(const int *who)
{
	int seen[N] = {0}, count = 0;

	for (int i = 0; i < N; i++)
		if (!seen[who[i]]++)
			count++;
	return count == (threads < N ? threads : N);
}

static int inner(const int *values)
{
	int sum = 0, local[N];

#pragma omp parallel for reduction(+ : sum)
	for (int i = 0; i < N; i++) {
		local[i] = values[i] * 2;
		by[i] = omp_get_thread_num();
		sum += local[i];
	}
	return sum + local[N - 1];
}

int main(void)
{
	int outer_sum = 0, kept = 5, who[N], *heap = calloc(N, sizeof(*heap));

	threads = omp_get_max_threads();
#pragma omp parallel num_threads(1) reduction(+ : outer_sum) firstprivate(kept)
	{
		int block[N], last = -1;

		printf("%d %d %d\n", omp_get_level(), omp_get_num_threads(), omp_get_thread_num());
#pragma omp parallel for lastprivate(last)
		for (int i = 0; i < N; i++) {
			block[i] = i * kept;
			heap[i] += i;
			who[i] = omp_get_thread_num();
			last = omp_get_level();
		}
		printf("%d %d\n", used(who), last);
#pragma omp parallel
		{
#pragma omp critical
			outer_sum += 1;
#pragma omp barrier
#pragma omp single
			kept += omp_get_ancestor_thread_num(1) + 10;
		}
		printf("%d %d\n", outer_sum == threads, kept);
#pragma omp single
		block[0] = inner(block);
		printf("%d %d\n", used(by), block[0]);
		outer_sum = block[0];
	}
	printf("%d %d %d\n", outer_sum, kept, heap[N - 1]);
#pragma omp parallel if (kept > 100)
	{
#pragma omp parallel
		{
#pragma omp for schedule(dynamic)
			for (int i = 0; i < N; i++)
				heap[i] += omp_in_parallel() == (threads > 1);
#pragma omp parallel num_threads(2)
#pragma omp master
			who[omp_get_ancestor_thread_num(2)] = 7;
		}
	}
	printf("%d %d\n", heap[N - 1], who[0]);
	free(heap);
	return 0;
}
