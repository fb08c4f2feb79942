// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ahead.c - reads a line of standard input in each step, of which more was read ahead.
 *
 * Usage: ahead STEPS [MICROSECONDS [SETS]] (pause.h)
 */
#include <stdio.h>
#include <stdlib.h>
#include "pause.h"

static long sum;

int main(int argc, char **argv)
{
	int steps = argc > 1 ? atoi(argv[1]) : 1;
	char line[80];

	for (int s = 0; s < steps; s++) {
		if (!fgets(line, sizeof(line), stdin))
			line[0] = '\0';
#pragma omp parallel for reduction(+ : sum)
		for (int i = 0; i < 100; i++)
			sum += atoi(line) * i;
		printf("%d: %ld\n", s, sum);
		fflush(stdout);
		pause_at(s, argv + 2);
	}
	return 0;
}
