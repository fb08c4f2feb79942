/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * planned-interrupted.c - the first region, of known loops, is not active; after that the program
 * begins to handle a signal, and comes to the region again.
 */
#include <signal.h>
#include <stdio.h>
#include "inactive.h"

static volatile sig_atomic_t signals;

static void count(int number)
{
	(void)number;
	signals = signals + 1;
}

int main(void)
{
	fill();
	copy(0);
	signal(SIGUSR1, count);
	raise(SIGUSR1);
	for (int round = 0; round < 4; round++) {
		copy(round != 2);
		turn();
		from[7] += signals;
	}
	printf("%u %d\n", sum_of_all(), (int)signals);
	return 0;
}
