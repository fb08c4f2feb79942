/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * constructs.c - what each construct costs: a loop with it, less the same loop without.
 *
 * Usage: constructs [repetitions]      Prints name, median, quartiles, in microseconds for one use.
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#include "sample.h"

#define WORK	200
#define THREADS 64

static int repetitions = 200;
static long counter, captured;
static double total;
static omp_lock_t lock;
static long flushed[THREADS][8];

static void without(void)
{
	for (int i = 0; i < repetitions; i++)
		sample_work(WORK);
}

static void in_parallel(void)
{
	for (int i = 0; i < repetitions; i++) {
#pragma omp parallel
		sample_work(WORK);
	}
}

static void in_for(void)
{
#pragma omp parallel
	for (int i = 0; i < repetitions; i++) {
#pragma omp for
		for (int k = 0; k < omp_get_num_threads(); k++)
			sample_work(WORK);
	}
}

static void in_barrier(void)
{
#pragma omp parallel
	for (int i = 0; i < repetitions; i++) {
		sample_work(WORK);
#pragma omp barrier
	}
}

static void in_single(void)
{
#pragma omp parallel
	for (int i = 0; i < repetitions; i++) {
#pragma omp single
		sample_work(WORK);
	}
}

static void in_reduction(void)
{
	for (int i = 0; i < repetitions; i++) {
#pragma omp parallel reduction(+ : total)
		{
			sample_work(WORK);
			total += 1;
		}
	}
}

/* Only the threads' joint number of entries counts: they come one after the other. */
static void in_critical(void)
{
#pragma omp parallel for schedule(static)
	for (int i = 0; i < repetitions; i++) {
#pragma omp critical
		{
			sample_work(WORK);
			counter++;
		}
	}
}

static void in_lock(void)
{
#pragma omp parallel for schedule(static)
	for (int i = 0; i < repetitions; i++) {
		omp_set_lock(&lock);
		sample_work(WORK);
		counter++;
		omp_unset_lock(&lock);
	}
}

static void in_ordered(void)
{
#pragma omp parallel for ordered schedule(static, 1)
	for (int i = 0; i < repetitions; i++) {
#pragma omp ordered
		sample_work(WORK);
	}
}

static void in_atomic(void)
{
#pragma omp parallel
	for (int i = 0; i < repetitions; i++) {
		sample_work(WORK);
#pragma omp atomic
		counter++;
	}
}

static void in_capture(void)
{
#pragma omp parallel
	for (int i = 0; i < repetitions; i++) {
		long mine;

		sample_work(WORK);
#pragma omp atomic capture
		mine = captured++;
		(void)mine;
	}
}

static void in_dynamic(void)
{
	int chunks = repetitions * omp_get_max_threads();

#pragma omp parallel for schedule(dynamic, 1)
	for (int i = 0; i < chunks; i++)
		sample_work(WORK);
}

/* Of something to tell: a flush over and over again that changes nothing waits for news. */
static void in_flush(void)
{
#pragma omp parallel
	for (int i = 0; i < repetitions; i++) {
		sample_work(WORK);
		flushed[omp_get_thread_num() % THREADS][0]++;
#pragma omp flush
	}
}

static double time_of(void (*function)(void))
{
	double started = omp_get_wtime();

	function();
	return (omp_get_wtime() - started) / repetitions;
}

static void measure(const char *name, void (*function)(void))
{
	double times[SAMPLES], reference[SAMPLES];

	function();
	for (int i = 0; i < SAMPLES; i++) {
		reference[i] = time_of(without);
		times[i] = time_of(function);
	}
	qsort(reference, SAMPLES, sizeof(*reference), sample_compare);
	for (int i = 0; i < SAMPLES; i++)
		times[i] -= reference[SAMPLES / 2];
	sample_print(name, times, SAMPLES);
}

int main(int argc, char **argv)
{
	if (argc > 1)
		repetitions = atoi(argv[1]);
	if (repetitions < 1) {
		fprintf(stderr, "usage: constructs [repetitions]\n");
		return 2;
	}
	omp_init_lock(&lock);
	measure("parallel", in_parallel);
	measure("for", in_for);
	measure("barrier", in_barrier);
	measure("single", in_single);
	measure("reduction", in_reduction);
	measure("critical", in_critical);
	measure("lock", in_lock);
	measure("ordered", in_ordered);
	measure("atomic", in_atomic);
	measure("atomic-capture", in_capture);
	measure("dynamic-chunk", in_dynamic);
	measure("flush", in_flush);
	omp_destroy_lock(&lock);
	return 0;
}
