/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * steps.c - a run of about a second that prints the same lines for any number of nodes; the
 * arguments: steps, and milliseconds of each.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define SIZE 20000

static long value[SIZE];

int main(int argc, char **argv)
{
	int steps = argc > 1 ? atoi(argv[1]) : 20, pause = argc > 2 ? atoi(argv[2]) : 30;

	for (int step = 0; step < steps; step++) {
		long sum = 0;

#pragma omp parallel for
		for (int i = 0; i < SIZE; i++) {
			value[i] += (long)i * (step + 1);
			if (i % 5000 == 0)
				usleep((useconds_t)pause * 250);
		}
		for (int i = 0; i < SIZE; i++)
			sum += value[i];
		printf("step %d: %ld\n", step, sum);
		fflush(stdout);
	}
	puts("end");
	return 0;
}
