/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * handover.c - how long it takes to get a lock that another thread had last.
 *
 * Usage: handover [times]      Prints name, median, quartiles, in microseconds.
 *
 * lock-handover: the lock is free, and with it comes what the other thread wrote.
 * lock-ping-pong: two threads wait for each other, each time by taking the lock until it is their
 * turn.
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#include "sample.h"

static omp_lock_t lock;
static long written;

static void free_lock(double *times, int count)
{
#pragma omp parallel num_threads(2)
	for (int i = 0; i < count; i++) {
		int mine = omp_get_thread_num() == i % omp_get_num_threads();

		if (mine) {
			double started = omp_get_wtime();

			omp_set_lock(&lock);
			times[i] = omp_get_wtime() - started;
			written++;
			omp_unset_lock(&lock);
		}
#pragma omp barrier
	}
	if (written != count)
		fprintf(stderr, "handover: %ld instead of %d\n", written, count);
	sample_print("lock-handover", times, count);
}

static void ping_pong(double *times, int count)
{
	double started;

	written = 0;
	for (int sample = 0; sample < SAMPLES; sample++) {
		long end = written + count;

		started = omp_get_wtime();
#pragma omp parallel num_threads(2)
		{
			int me = omp_get_thread_num(), threads = omp_get_num_threads(), ended = 0;

			while (!ended) {
				omp_set_lock(&lock);
				if (written % threads == me && written < end)
					written++;
				ended = written >= end;
				omp_unset_lock(&lock);
			}
		}
		times[sample] = (omp_get_wtime() - started) / count;
	}
	sample_print("lock-ping-pong", times, SAMPLES);
}

int main(int argc, char **argv)
{
	int count = argc > 1 ? atoi(argv[1]) : 400;
	double *times;

	if (count < SAMPLES) {
		fprintf(stderr, "usage: handover [times]      at least %d\n", SAMPLES);
		return 2;
	}
	times = malloc((size_t)count * sizeof(*times));
	omp_init_lock(&lock);
	free_lock(times, count);
	ping_pong(times, count);
	omp_destroy_lock(&lock);
	free(times);
	return 0;
}
