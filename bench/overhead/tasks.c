/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tasks.c - 16 independent tasks of 50 ms, made in one single construct.
 *
 * Usage: tasks      Prints name, median, quartiles of the time of all, in microseconds.
 *
 * A task waits for 50 ms, so that nodes on one machine need no processor each.
 */
#include <omp.h>
#include <stdio.h>
#include <time.h>

#include "sample.h"

#define TASKS 16

static int results[TASKS];

static void task(int number)
{
	struct timespec pause = {0, 50000000};

	nanosleep(&pause, NULL);
	results[number] += number + 1;
}

static void tasks(void)
{
#pragma omp parallel
#pragma omp single
	for (int i = 0; i < TASKS; i++) {
#pragma omp task
		task(i);
	}
}

int main(void)
{
	double times[5];
	int wrong = 0;

	for (int i = 0; i < 5; i++) {
		double started = omp_get_wtime();

		tasks();
		times[i] = omp_get_wtime() - started;
	}
	for (int i = 0; i < TASKS; i++)
		wrong += results[i] != 5 * (i + 1);
	sample_print("16-tasks-of-50ms", times, 5);
	return wrong ? 1 : 0;
}
