/* SPDX-License-Identifier: GPL-2.0-or-later */
/* single.c - single with and without its barrier, in a loop, and with private variables. */
#include <omp.h>
#include <stdio.h>

static int shared_value, counts[16], order[40];
static double array[50];

int main(void)
{
	int rounds = 0, seed = 5, unseen = 9;

#pragma omp parallel
	{
#pragma omp single
		shared_value = 10;
#pragma omp for
		for (int i = 0; i < 50; i++)
			array[i] = shared_value + i;
		for (int round = 0; round < 8; round++) {
#pragma omp single
			{
				rounds += shared_value;
				shared_value++;
				counts[round]++;
			}
		}
#pragma omp single nowait
		counts[8]++;
#pragma omp single nowait
		counts[9]++;
#pragma omp single private(unseen) firstprivate(seed)
		{
			unseen = seed * 2;
			seed = unseen + 1;
			counts[10] = seed;
		}
#pragma omp barrier
		/* Every thread sees what one has done. */
		order[omp_get_thread_num()] = rounds + counts[8] + counts[9] + seed;
	}
	printf("%d %d %d %.1f\n", shared_value, rounds, unseen, array[49]);
	for (int i = 0; i <= 10; i++)
		printf("%d ", counts[i]);
	putchar('\n');
	for (int i = 0; i < omp_get_max_threads(); i++)
		printf("%d ", order[i]);
	putchar('\n');
	return 0;
}
