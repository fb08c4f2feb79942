/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * need-frees.c - a thread frees blocks among those that another one fills: nodes that have not
 * filled them learn of it where the region ends, though sequential code touches nothing there.
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#include "need-blocks.h"

static int one_round(int value)
{
	int wrong = 0;

	for (int i = 0; i < BLOCKS; i++)
		block[i] = malloc(SIZE);
	for (int i = 0; i < BLOCKS; i++)
		memset(block[i], 1, SIZE);
#pragma omp parallel
	{
		if (omp_get_thread_num() == 0)
			release();
		if (omp_get_thread_num() == 1 || omp_get_num_threads() == 1)
			fill(value, SIZE);
	}
#pragma omp parallel reduction(+ : wrong)
	{
		if (omp_get_thread_num() == omp_get_num_threads() - 1)
			wrong += count_others(value);
	}
	for (int i = 0; i < BLOCKS; i++)
		free(block[i]);
	return wrong;
}

int main(void)
{
	int wrong = 0;

	for (int round = 0; round < 6; round++)
		wrong += one_round(round);
	printf("%d wrong\n", wrong);
	return 0;
}
