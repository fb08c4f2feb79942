/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pipeline-locks.c - loops that are shared out without a sync point at their ends, whose results
 * the threads put together in critical constructs: in regions, and in functions that these call.
 */
#include <omp.h>
#include <stdio.h>

enum { COUNT = 60000, VALUES = 3000, ROUNDS = 5 };

static int key[COUNT], copy[COUNT], found[VALUES], other[VALUES], shift, total, last[64];
static double sum, weight[COUNT];
static long at;

/* All in a function. */
static void count(int round)
{
	int own[VALUES];

#pragma omp master
	{
		key[round] = round;
		for (int i = 0; i < VALUES; i++)
			found[i] = 0;
	}
#pragma omp barrier
	for (int i = 0; i < VALUES; i++)
		own[i] = 0;
#pragma omp for nowait
	for (int i = 0; i < COUNT; i++) {
		copy[i] = key[i];
		own[copy[i]]++;
	}
#pragma omp critical
	{
		for (int i = 0; i < VALUES; i++)
			found[i] += own[i];
	}
#pragma omp barrier
#pragma omp master
	total += found[round] + copy[COUNT / 2];
}

/* A loop whose variable is shared elsewhere in the function. */
static void turn(void)
{
	long mine = 0;

#pragma omp barrier
#pragma omp for nowait
	for (at = 0; at < COUNT; at++)
		mine += copy[at] % 7;
#pragma omp critical
	at += mine;
#pragma omp barrier
}

/* What is named in the stretch changes there. */
static void move(int round)
{
	int from = round % 3;

#pragma omp barrier
#pragma omp for nowait
	for (int i = 0; i < VALUES - 8; i++)
		other[i + from] = found[i] + round;
	from = 5;
#pragma omp critical
	shift += from;
#pragma omp barrier
}

/* Two loops, of which the second reads what the same thread has, and two names. */
static double two(double factor)
{
	double result;

#pragma omp parallel
	{
		double own = 0;
		int number = omp_get_thread_num();

#pragma omp for nowait
		for (int i = 0; i < COUNT; i++)
			weight[i] = copy[i] * factor;
#pragma omp critical(number)
		last[number] += 1 + number;
#pragma omp for nowait
		for (int i = 0; i < COUNT; i++)
			own += weight[i];
#pragma omp critical(sum)
		sum += own;
	}
	result = sum;
	return result;
}

/* The order of the turns is in what they leave. */
static int turns(void)
{
	int order = 0;

#pragma omp parallel shared(order)
	{
		int own = 0;

#pragma omp for nowait
		for (int i = 0; i < COUNT; i++) {
			key[i] = (key[i] + i) % VALUES;
			own += i == COUNT / 3;
		}
#pragma omp critical
		{
			order = order * 2 + 1;
			total += own;
		}
#pragma omp barrier
#pragma omp single
		order += total;
	}
	return order - total - (1 << omp_get_max_threads()) + 1;
}

int main(void)
{
	unsigned hash = 1;

	for (int i = 0; i < COUNT; i++)
		key[i] = (int)((i * 7919ll + i / 13) % VALUES);
	for (int round = 0; round < ROUNDS; round++) {
#pragma omp parallel
		{
			count(round);
			move(round);
			turn();
		}
		for (int i = 0; i < VALUES; i++)
			hash = hash * 31 + (unsigned)(found[i] + 3 * other[i]);
		printf("%u %d %ld %g %d\n", hash, total, at, two(round + 1), turns());
		shift %= 5;
	}
	for (int i = 0; i < omp_get_max_threads(); i++)
		if (last[i] != ROUNDS * (i + 1))
			printf("thread %d: %d\n", i, last[i]);
	return shift;
}
