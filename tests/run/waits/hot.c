/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hot.c - a loop that tests a volatile object at every turn and does next to nothing else: how many
 * nanoseconds of a processor a turn takes.
 */
#include <omp.h>
#include <stdio.h>
#include <time.h>

#define TURNS 20000000

static volatile int stop;
static double took[2];

static double cpu(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return now.tv_sec * 1e9 + now.tv_nsec;
}

int main(void)
{
#pragma omp parallel num_threads(2)
	{
		double start = cpu();
		long n = 0;

		while (n < TURNS && !stop)
			n++;
		took[omp_get_thread_num()] = (cpu() - start) / TURNS;
		if (n < TURNS)
			printf("it ended early\n");
	}
	printf("%.0f\n", took[0] > took[1] ? took[0] : took[1]);
	return 0;
}
