/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sums.c - a team's numbers, and sums whose rounding tells in which order they were added.
 *
 * Prints the size of the team, how many of its numbers were there, and the bits of the sums.
 */
#define _GNU_SOURCE
#include <omp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#define N 100000

static double value[N], part[N];

static void add(double *out, const double *in)
{
	*out = *out / 2 + *in;
}

#pragma omp declare reduction(half:double : add(&omp_out, &omp_in)) initializer(omp_priv = 0)

static double by_tasks(void)
{
	double sum = 0;

#pragma omp parallel
#pragma omp single
	for (int i = 0; i < 100; i++)
#pragma omp task
		part[i] = value[i] / 3;
	for (int i = 0; i < 100; i++)
		sum += part[i];
	return sum;
}

int main(int count, char **words)
{
	int threads = omp_get_max_threads(), there = 0, locks = 0, atomics = 0, processors = 0;
	int loops = 0;
	int *seen = calloc((size_t)threads, sizeof(*seen));
	double sum = 0, half = 0, region = 1, tasks;

	srand(7);
	for (int i = 0; i < N; i++)
		value[i] = rand() / 3e7 - 31;
#pragma omp parallel reduction(* : region)
	{
		cpu_set_t own;

		sched_getaffinity(0, sizeof(own), &own);
		seen[omp_get_thread_num()]++;
		region *= 1 + value[omp_get_thread_num()] / 100;
#pragma omp for reduction(+ : sum) reduction(half : half)
		for (int i = 0; i < N; i++) {
			sum += value[i] / 7;
			half += value[i];
		}
#pragma omp critical
		{
			locks++;
			processors += CPU_COUNT(&own);
		}
#pragma omp atomic
		atomics++;
#pragma omp for schedule(dynamic, 3) reduction(+ : loops)
		for (int i = 0; i < 1000; i++)
			loops += i;
#pragma omp for schedule(guided) reduction(+ : loops)
		for (int i = 0; i < 1000; i++)
			loops += i;
	}
	for (int i = 0; i < threads; i++)
		there += seen[i] == 1;
	tasks = by_tasks() + loops;
	printf("%d %d %d %d %a %a %a %a\n", threads, there, locks, atomics, sum, half, region,
	       tasks);
	if (count > 1)
		printf("%d\n", processors / threads);
	(void)words;
	return 0;
}
