/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * planned-interrupted.c - the first region, of known loops, is not active; after that the program
 * begins to handle a signal, and comes to the region again.
 */
#include <signal.h>
#include <stdio.h>

enum { COUNT = 30000 };

static int from[COUNT], to[COUNT];
static volatile sig_atomic_t signals;

static void count(int number)
{
	(void)number;
	signals = signals + 1;
}

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

int main(void)
{
	unsigned sum = 0;

	for (int i = 0; i < COUNT; i++)
		from[i] = i;
	copy(0);
	signal(SIGUSR1, count);
	raise(SIGUSR1);
	for (int round = 0; round < 4; round++) {
		copy(round != 2);
		turn();
		from[7] += signals;
	}
	for (int i = 0; i < COUNT; i++)
		sum = sum * 31 + (unsigned)from[i];
	printf("%u %d\n", sum, (int)signals);
	return 0;
}
