/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * endless.c - one variable under two critical constructs, of different names or ("same") of one,
 * and no synchronization point behind them: after many rounds of both nodes in turns one aborts,
 * or ("on") says so and both go on for ever.
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ENOUGH 100

static int count, rounds[2];

static void change(int by_second)
{
	if (by_second) {
#pragma omp critical(second)
		count--;
	} else {
#pragma omp critical(first)
		count++;
	}
}

/* Whether the other node has done a round since the last call. */
static int has_gone_on(void)
{
	static int last;
	int now, before = last;

#pragma omp atomic read
	now = rounds[1];
	last = now;
	return now != before;
}

int main(int argc, char **argv)
{
	int same = argc > 1 && strcmp(argv[1], "same") == 0;
	int on = argc > 1 && strcmp(argv[1], "on") == 0;

#pragma omp parallel num_threads(2)
	{
		int me = omp_get_thread_num(), told = 0, turns = 0;

		for (;;) {
			change(me == 1 && !same);
#pragma omp atomic
			rounds[me]++;
			if (me == 1 || told)
				continue;
			turns += has_gone_on();
			if (turns < ENOUGH)
				continue;
			if (!on)
				abort();
			printf("enough\n");
			told = 1;
		}
	}
	return 0;
}
