// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * swapped.c - an array whose halves change their owners while a pipe keeps the run from being
 * saved; then all nodes read it, so that all hold it.
 *
 * Usage: swapped [MICROSECONDS SETS] (pause.h), long enough for a save to be due: set 2 is refused
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "pause.h"

#define SIZE (1 << 18)

static double values[SIZE], others[SIZE];

static double sum_values(void)
{
	double sum = 0;

	for (int i = 0; i < SIZE; i++)
		sum += values[i];
	return sum;
}

/* All nodes read the values behind it, but none writes to them. */
static void change_others(void)
{
#pragma omp parallel for schedule(static)
	for (int i = 0; i < SIZE; i++)
		others[i] += i;
}

int main(int argc, char **argv)
{
	useconds_t due = argc > 1 ? (useconds_t)atoi(argv[1]) : 0;
	int end[2];

	usleep(due);
#pragma omp parallel for schedule(static)
	for (int i = 0; i < SIZE; i++)
		values[i] = i + 1;
	pause_at(0, argv + 1);
	if (pipe(end) < 0)
		return 1;
#pragma omp parallel for schedule(static)
	for (int i = 0; i < SIZE; i++)
		values[SIZE - 1 - i] = 2 * (SIZE - 1 - i) + 1.5;
	close(end[0]);
	close(end[1]);
	printf("swapped: %.17g\n", sum_values());
	fflush(stdout);
	usleep(due);
	change_others();
	pause_at(2, argv + 1);
	printf("one: %.17g %.17g\n", sum_values(), others[SIZE - 1]);
	change_others();
	printf("other: %.17g %.17g\n", sum_values(), others[SIZE - 1]);
	return 0;
}
