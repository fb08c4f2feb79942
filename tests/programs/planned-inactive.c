/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * planned-inactive.c - the first region, of known loops, is not active; after that the program
 * makes a thread, and comes to the region again.
 */
#include <pthread.h>
#include <stdio.h>

enum { COUNT = 30000 };

static int from[COUNT], to[COUNT], runs;

static void copy(int active)
{
#pragma omp parallel for if (active)
	for (int i = 0; i < COUNT; i++)
		to[i] = from[i] + 1;
}

static void turn(void)
{
#pragma omp parallel for
	for (int i = 0; i < COUNT; i++)
		from[i] = to[COUNT - 1 - i];
}

static void *count(void *unused)
{
	runs++;
	return unused;
}

int main(void)
{
	pthread_t thread;
	unsigned sum = 0;

	for (int i = 0; i < COUNT; i++)
		from[i] = i;
	copy(0);
	if (pthread_create(&thread, NULL, count, NULL) || pthread_join(thread, NULL))
		return 1;
	for (int round = 0; round < 3; round++) {
		copy(round != 1);
		turn();
	}
	for (int i = 0; i < COUNT; i++)
		sum = sum * 31 + (unsigned)from[i];
	printf("%u %d\n", sum, runs);
	return 0;
}
