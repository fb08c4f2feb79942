// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tenth.c - an array of which each step changes another tenth, as a whole, and of which it prints a
 * sum; memory that is freed, and used again.
 *
 * Usage: tenth STEPS [MICROSECONDS [SETS]] (pause.h)
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "pause.h"

#define SIZE (1 << 20)

static unsigned long values[SIZE];

/* None that could be packed. */
static unsigned long mix(unsigned long value)
{
	value = (value ^ value >> 33) * 0xff51afd7ed558ccdul;
	return value ^ value >> 29;
}

int main(int argc, char **argv)
{
	int steps = argc > 1 ? atoi(argv[1]) : 4;
	char *kept = NULL;

	for (long i = 0; i < SIZE; i++)
		values[i] = mix(i + 1);
	for (int s = 0; s < steps; s++) {
		long first = (long)(SIZE / 10) * (s % 10);
		unsigned long sum = 0;

		/* Taken and given back in turns: a save has it that the one before has not. */
		if (s % 2) {
			free(kept);
			kept = NULL;
		} else {
			kept = malloc(1 << 18);
			memset(kept, s + 1, 1 << 18);
		}
#pragma omp parallel for
		for (long i = first; i < first + SIZE / 10; i++)
			values[i] = mix(values[i] + (unsigned long)s);
		for (long i = 0; i < SIZE; i++)
			sum = mix(sum + values[i]);
		printf("step %d: %lx %d\n", s, sum, kept ? kept[100000] : -1);
		fflush(stdout);
		pause_at(s, argv + 2);
	}
	return 0;
}
