// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Regions of known loops one after another, at whose ends nobody has to wait for all: the program
 * counts, swaps pointers and reads a little in between.  Then, after some rounds, something else
 * comes: values of the threads' own, unknown loops, smaller teams, output, memory that is
 * allocated.
 */
#include <errno.h>
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#define N      4000
#define ROUNDS 9

static double a[N], b[N], *last;
static int own, counted;
#pragma omp threadprivate(own)
static __thread int local;

/* Nothing, after a while that is another one each round. */
static double linger(int round)
{
	double time = 0;

	for (int i = 0; i < 100000 * (round % 4); i++)
		time = time * 0.5 + round;
	return time * 0;
}

static void smooth(double *to, const double *from, int round)
{
#pragma omp parallel for
	for (int i = 1; i < N - 1; i++)
		to[i] = from[i - 1] * 0.25 + from[i] * 0.5 + from[i + 1] * 0.25 + round % 3;
}

static void begin(void)
{
#pragma omp parallel for
	for (int i = 0; i < N; i++)
		a[i] = b[i] = i * 7 % 101;
}

/* COUNT rounds, with nothing in between; the last one wrote `last`. */
static void rounds(int count)
{
	double *from = a, *to = b;

	for (int round = 0; round < count; round++) {
		double *next = from;

		smooth(to, from, round);
		from = to;
		to = next;
	}
	last = from;
}

static double sum_of(const double *all)
{
	double sum = 0;

	for (int i = 0; i < N; i++)
		sum += all[i] * (i % 17 + 1);
	return sum;
}

/* What the master's thread has, in regions and between them. */
static int of_threads(void)
{
	int sum = 0;

	for (int round = 0; round < ROUNDS; round++) {
#pragma omp parallel for schedule(static, 40)
		for (int i = 0; i < N; i++) {
			a[i] = i + round;
			own = i % 40 + round;
			local = own * 2;
		}
		if (round % 3 == 0)
			sum += own + local;
		if (round % 4 == 1)
			local = own = -round;
#pragma omp parallel for
		for (int i = 0; i < N; i++)
			b[i] = a[N - 1 - i] + sum;
		if (round % 5 == 2)
			sum += 3 * own - local;
	}
	return sum;
}

/* An error that the C library notes in all threads, or in those that are not the master. */
static int errors(void)
{
	int found = 0;

	for (int round = 0; round < 6; round++) {
		errno = 0;
#pragma omp parallel for
		for (int i = 0; i < N; i++)
			b[i] = sqrt(round % 3 == 1 ? -1.0 - i : i);
		smooth(a, b, round);
		found = 2 * found + (errno == EDOM);
	}
	return found;
}

/* A loop of which not all is known comes after regions at whose ends nodes have not met. */
static double unknown(int kind)
{
	double sum = 0;

	rounds(3 + kind);
	if (kind == 0) {
#pragma omp parallel for schedule(dynamic)
		for (int i = 0; i < N; i++)
			a[i] += b[(i * 7) % N];
	} else if (kind == 1) {
#pragma omp parallel
#pragma omp critical
		sum += last[N / 2] + b[omp_get_thread_num() * 0 + 3];
		sum /= omp_get_max_threads();
	} else if (kind == 2) {
#pragma omp parallel num_threads(1)
		sum += last[N - 2] + last[1];
	} else if (kind == 3) {
#pragma omp parallel for if (kind == 0)
		for (int i = 0; i < N; i++)
			a[i] += b[i] / 2;
	} else {
#pragma omp parallel
#pragma omp single
		for (int i = 0; i < N; i += 100)
			a[i] = b[i] + i;
	}
	rounds(2);
	return sum + sum_of(last);
}

/* So does sequential code, of all kinds. */
static double sequential(int kind)
{
	double sum = 0, *all;

	rounds(3 + kind);
	if (kind == 0) {
		for (int i = 0; i < N; i += 3)
			last[i] = i;
	} else if (kind == 1) {
		all = malloc(N * sizeof(*all));
		for (int i = 0; i < N; i++)
			all[i] = last[i];
		smooth(b, all, 1);
		free(all);
	} else if (kind == 2) {
		printf("%.6f\n", last[N / 3]);
	} else if (kind == 3) {
		sum = omp_get_wtime() < 0;
		counted++;
	} else {
		sum += counted + linger(counted);
	}
	rounds(1 + kind);
	return sum + sum_of(last);
}

static void report(void)
{
	printf("at the end %.6f %d\n", sum_of(last), counted);
}

int main(void)
{
	atexit(report);
	begin();
	rounds(ROUNDS);
	printf("%.6f\n", sum_of(last));
	printf("%d\n", of_threads());
	printf("%d\n", errors());
	begin();
	for (int kind = 0; kind < 5; kind++)
		printf("%d: %.6f\n", kind, unknown(kind));
	for (int kind = 0; kind < 5; kind++)
		printf("%d: %.6f\n", kind, sequential(kind));
	begin();
	rounds(5);
	return 0;
}
