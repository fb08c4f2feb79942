/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tracking.c - one region that publishes often.
 *
 * Usage: tracking late | again
 *
 * late: there is little memory when it begins; again: at first much is written each time, later
 * little.
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LARGE  (1 << 20)
#define OFTEN  300
#define ROUNDS 6

static long turn;

/* This node's, then that of the other. */
static void pass_on(int me)
{
	long now;

	do {
#pragma omp atomic read
		now = turn;
	} while (now % 2 != me);
#pragma omp atomic update
	turn++;
}

int main(int argc, char **argv)
{
	int late = argc > 1 && strcmp(argv[1], "late") == 0;
	long *numbers = late ? NULL : calloc(LARGE, sizeof(*numbers)), sum = 0;

#pragma omp parallel num_threads(2)
	{
		int me = omp_get_thread_num();

		for (int round = 0; round < ROUNDS; round++) {
			for (int i = me; !late && i < LARGE; i += 2)
				numbers[i] += i;
			pass_on(me);
		}
#pragma omp barrier
		if (late)
#pragma omp single
			numbers = calloc(LARGE, sizeof(*numbers));
#pragma omp for
		for (int i = 0; i < LARGE; i++)
			numbers[i] += i;
		for (int round = 0; round < OFTEN; round++) {
			numbers[round * 2 + me]++;
			pass_on(me);
		}
	}
	for (int i = 0; i < LARGE; i++)
		sum += numbers[i];
	printf("%ld %ld\n", turn, sum);
	return 0;
}
