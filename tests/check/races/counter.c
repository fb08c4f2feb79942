/* SPDX-License-Identifier: GPL-2.0-or-later */
/* counter.c - a race between two checkpoints of one sync point, with equal writes beside it. */
#include <omp.h>
#include <stdio.h>

static int flag, total;

int main(void)
{
#pragma omp parallel
	{
		flag = 1;
		total += omp_get_thread_num() + 1;
	}
	printf("%d %d\n", flag, total > 0);
	return 0;
}
