/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * input.c - one thread writes, again and again, all of a page on which the run time keeps the place
 * in standard input, too; another reads it at times.
 */
#include <omp.h>
#include <stdio.h>

#ifndef BEFORE
#define BEFORE 64
#endif
#define SIZE 65536

/* Of what is zero at first the run time's comes behind this, */
static unsigned char before[BEFORE] __attribute__((used, aligned(64)));
/* and before this. */
unsigned char array[SIZE] __attribute__((common));

static void fill(int value)
{
	for (int i = 0; i < SIZE; i++)
		array[i] = (unsigned char)value;
}

static int count_others(int value)
{
	int count = 0;

	for (int i = 0; i < SIZE; i++)
		count += array[i] != value;
	return count;
}

int main(void)
{
	int wrong = 0;

	for (int round = 1; round < 20; round += 2)
#pragma omp parallel reduction(+ : wrong)
	{
		if (omp_get_thread_num() == 1)
			fill(round);
#pragma omp barrier
		if (omp_get_thread_num() == 0)
			wrong += count_others(round);
#pragma omp barrier
		if (omp_get_thread_num() == 1)
			fill(round + 1);
	}
	printf("%d wrong\n", wrong);
	return 0;
}
