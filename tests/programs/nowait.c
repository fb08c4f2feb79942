/* SPDX-License-Identifier: GPL-2.0-or-later */
/* nowait.c - loops without a barrier: same schedule, same thread; an explicit barrier later. */
#include <omp.h>
#include <stdio.h>

#define N 1000

static int first[N], second[N], third[N], reversed[N];

int main(void)
{
	int rounds = 0;

#pragma omp parallel
	{
		/* Static, equal iterations: a thread meets its own elements again. */
#pragma omp for schedule(static) nowait
		for (int i = 0; i < N; i++)
			first[i] = i * 7 % 31;
#pragma omp for schedule(static) nowait
		for (int i = 0; i < N; i++)
			second[i] = first[i] * first[i];
#pragma omp for schedule(static) nowait
		for (int i = 0; i < N; i++)
			third[i] = second[i] - first[i];
#pragma omp barrier
#pragma omp for nowait
		for (int i = 0; i < N; i++)
			reversed[i] = third[N - 1 - i];
		if (omp_get_thread_num() == 0)
			rounds++;
#pragma omp barrier
			/* Reads what other threads wrote before the barrier, writes in another
			 * order. */
#pragma omp for schedule(static, 11) nowait
		for (int i = 0; i < N; i++)
			first[i] += reversed[i] + rounds;
	}
	for (int i = 0; i < N; i += 97)
		printf("%d %d %d %d\n", first[i], second[i], third[i], reversed[i]);
	return 0;
}
