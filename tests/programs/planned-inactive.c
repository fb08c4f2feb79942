/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * planned-inactive.c - the first region, of known loops, is not active; after that the program
 * makes a thread, and comes to the region again.
 */
#include <pthread.h>
#include <stdio.h>
#include "inactive.h"

static int runs;

static void *count(void *unused)
{
	runs++;
	return unused;
}

int main(void)
{
	pthread_t thread;

	fill();
	copy(0);
	if (pthread_create(&thread, NULL, count, NULL) || pthread_join(thread, NULL))
		return 1;
	for (int round = 0; round < 3; round++) {
		copy(round != 1);
		turn();
	}
	printf("%u %d\n", sum_of_all(), runs);
	return 0;
}
