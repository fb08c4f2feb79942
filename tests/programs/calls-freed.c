/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * calls-freed.c - one thread makes calls that all nodes have to make, in a region in which it frees
 * a block that several nodes have written to; nothing touches shared memory right after the region.
 *
 * What is kept of such calls is given back after the region, beside the block that was freed.
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#define LENGTH 32768
#define CALLS  70

static double *values;

static void fill(int length, int first)
{
#pragma omp parallel for
	for (int i = 0; i < length; i++)
		values[i] = i + first;
}

static void free_and_call(void)
{
#pragma omp parallel
	if (omp_get_thread_num() == omp_get_num_threads() - 1) {
		free(values);
		for (int i = 0; i < CALLS; i++)
			umask((mode_t)(i % 8 << 3));
		values = malloc(LENGTH / 2 * sizeof(*values));
	}
}

int main(void)
{
	double sum = 0;

#pragma omp parallel
	if (omp_get_thread_num() == omp_get_num_threads() - 1)
		values = malloc(LENGTH * sizeof(*values));
	for (int round = 0; round < 3; round++)
		fill(LENGTH, round);
	free_and_call();
	for (int round = 0; round < 3; round++) {
		fill(LENGTH / 2, round);
		for (int i = 0; i < LENGTH / 2; i++)
			sum += values[i];
	}
	printf("%.0f, mask %o\n", sum, (unsigned)umask(0));
	return 0;
}
