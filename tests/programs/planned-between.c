// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Sequential code between regions of known loops that reads a few places by name: tables among what
 * loops write, values that another node has just written, or is about to overwrite.
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#define N      3000
#define ROUNDS 60

struct place {
	struct place *next;
	double value;
};

static double a[N], b[N];
static double *row[4];
static int steps = ROUNDS, chosen[N];
static double ***table;
static struct place *places;

/* Nothing, after a while: where nodes are more than processors, some are late then. */
static double linger(int round)
{
	double time = 0;

	for (int i = 0; i < 200000 * (round % 3); i++)
		time = time * 0.5 + round;
	return time * 0;
}

static void fill(double *to, const double *from, double with)
{
#pragma omp parallel for
	for (int i = 0; i < N; i++)
		to[i] = from[N - 1 - i] * 0.5 + i % 13 + with;
}

/* What is read has been written by the last thread, and is overwritten in the next loop. */
static double carry(void)
{
	double with = 0, sum = 0;

	for (int round = 0; round < steps; round++) {
		fill(a, b, with);
		with = a[N - 1 - round] / 4;
		fill(b, a, with);
		with += linger(round);
		with += b[round] - a[2 * round + 1];
		fill(a, b, with / 8);
		sum += with * (round + 1);
	}
	return sum;
}

/* A region with two loops, whose sync points nobody waits at for all. */
static double halves(void)
{
	double sum = 0;

	for (int round = 0; round < ROUNDS; round++) {
#pragma omp parallel
		{
#pragma omp for
			for (int i = 0; i < N; i++)
				a[i] = b[i] + round;
#pragma omp for
			for (int i = 0; i < N; i++)
				b[i] = a[N - 1 - i] / 2;
		}
		sum += linger(round);
		if (a[N / 2 + round] > b[7 * round])
			sum += b[N - 1 - round];
		else
			sum -= a[round * 3];
#pragma omp parallel for
		for (int i = 0; i < N; i++)
			a[i] += sum / 1024;
	}
	return sum;
}

static void add(double *to, int count, double what)
{
#pragma omp parallel for
	for (int i = 0; i < count; i++)
		to[i] += what + i % 7;
}

/* The tables lie beside the rows, on pages that loops write. */
static double through_tables(void)
{
	double with = 1;
	int k = 0;

	for (int round = 0; round < ROUNDS; round++) {
		add(table[k][round % 3], chosen[k], with);
		with += linger(round);
		with = table[1 - k][2][round] - table[k][0][chosen[1 - k] - 1] / 3;
		k = 1 - k;
		add(table[k][1], chosen[k], with / 1024);
		while (with > table[k][1][round] + 100)
			with -= 50;
	}
	return with;
}

/* A list that leads from one to the next, whose values a loop changes. */
static double along(void)
{
	struct place *at = places;
	double sum = 0;

	for (int round = 0; round < ROUNDS; round++) {
#pragma omp parallel for
		for (int i = 0; i < N; i++)
			places[i].value += i % (round + 1);
		sum += linger(round);
		at = at->next;
		sum += at->value;
		at = at->next->next;
	}
	return sum;
}

/* Limits of loops that a loop writes, on several nodes. */
static int limits(void)
{
	int all = 0;

	for (int round = 1; round < ROUNDS; round++) {
#pragma omp parallel for
		for (int i = 0; i < N; i++)
			chosen[i] = (i * 7 + round) % N;
#pragma omp parallel for
		for (int i = chosen[round]; i < chosen[N - round]; i++)
			a[i] += round;
		all += chosen[N / 2] > chosen[N / 3] && steps ? 1 : 2;
	}
	return all;
}

/* A loop of which not all is known comes after what is read. */
static double unknown(void)
{
	double sum = 0;

	for (int round = 0; round < ROUNDS; round++) {
		fill(a, b, round);
		sum += linger(round);
		sum = a[N - 1] - a[0] / 2;
#pragma omp parallel
		{
			int thread = omp_get_thread_num(), all = omp_get_num_threads();

			if (thread == all - 1)
				a[N - 1] = sum / 1024;
			for (int i = thread; i < N; i += all)
				b[i] = b[i] / 2 + i;
		}
		sum += linger(round + 2);
		sum += b[round] / 64 + a[N - 1];
	}
	return sum;
}

static double of(const double *values)
{
	double sum = 0;

	for (int i = 0; i < N; i++)
		sum += values[i] * (i % 17 + 1);
	return sum;
}

int main(void)
{
	row[0] = malloc(N * sizeof(double));
	table = malloc(2 * sizeof(*table));
	for (int k = 0; k < 2; k++) {
		chosen[k] = 300 + 5 * k;
		table[k] = malloc(3 * sizeof(**table));
		for (int i = 0; i < 3; i++)
			table[k][i] = calloc(305, sizeof(double));
	}
	places = calloc(N, sizeof(*places));
	for (int i = 0; i < N; i++) {
		row[0][i] = b[i] = i;
		places[i].next = &places[(i * 5 + 11) % N];
	}
	printf("%.6f\n", carry());
	printf("%.6f\n", halves());
	printf("%.6f\n", through_tables());
	printf("%.6f\n", along());
	printf("%d\n", limits());
	printf("%.6f\n", unknown());
	printf("%.3f %.3f %.3f\n", of(a), of(b), of(row[0]));
	return 0;
}
