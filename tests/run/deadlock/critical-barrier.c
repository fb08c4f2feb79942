/* SPDX-License-Identifier: GPL-2.0-or-later */
/* critical-barrier.c - the thread in the critical section waits at a barrier for all others. */
#include <stdio.h>

static int turns;

static void meet(void)
{
#pragma omp barrier
}

int main(void)
{
#pragma omp parallel
	{
#pragma omp critical
		{
			turns++;
			meet();
		}
	}
	printf("not reached, %d\n", turns);
	return 0;
}
