/* SPDX-License-Identifier: GPL-2.0-or-later */
/* threadprivate-sync.c - threadprivate variables beside criticals, locks and dynamic loops. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

static int mine, tally[4];
static char *buffer;
#pragma omp threadprivate(mine, tally, buffer)

static int totals[4], shared_sum;

static void count(int i)
{
	static int calls;
#pragma omp threadprivate(calls)

	calls++;
	tally[i % 4]++;
	mine += i;
#pragma omp critical(sum)
	shared_sum += i;
}

int main(void)
{
	int wrong = 0, sum = 0;

	mine = 100;
#pragma omp parallel copyin(mine) reduction(+ : wrong)
	{
		wrong += mine != 100;
		mine = 0;
		for (int k = 0; k < 4; k++)
			tally[k] = 0;
		buffer = malloc(16);
		snprintf(buffer, 16, "thread %d", omp_get_thread_num());
#pragma omp for schedule(dynamic, 2)
		for (int i = 0; i < 100; i++)
			count(i);
#pragma omp critical
		for (int k = 0; k < 4; k++)
			totals[k] += tally[k];
#pragma omp barrier
		wrong += atoi(buffer + 7) != omp_get_thread_num();
	}
	/* Kept from region to region. */
#pragma omp parallel reduction(+ : sum, wrong)
	{
		sum += mine;
		wrong += atoi(buffer + 7) != omp_get_thread_num();
		free(buffer);
	}
	printf("%d wrong, %d %d\n", wrong, sum, shared_sum);
	for (int k = 0; k < 4; k++)
		printf("%d ", totals[k]);
	putchar('\n');
	return 0;
}
