/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pipeline-stretches.c - what threads do by their number between two sync points, in several
 * statements: conditions, calls, what decides on later accesses and is written there itself, and
 * variables of the threads' own that are computed from memory on the way.
 */
#include <omp.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 16, LENGTH = 700, STEPS = 6 };

struct work {
	int first, count;
	double *to;
};

static double line[MOST * LENGTH], other[MOST * LENGTH];
static double near[MOST * LENGTH], far[LENGTH];
static int counts[MOST], shift = 3;
static double sums[MOST];
static struct work works[MOST];

static void share_out(struct work *work, int me, int team)
{
	work->first = MOST * LENGTH * me / team;
	work->count = MOST * LENGTH * (me + 1) / team - work->first;
	work->to = other;
}

static double add_up(const double *from, int count)
{
	double sum = 0;

	for (int i = 0; i < count; i++)
		sum += from[i];
	return sum;
}

/* No thread waits for another one after it: but what is around it is described as a whole. */
static void shared_out(int number)
{
#pragma omp for nowait
	for (int i = 0; i < LENGTH; i++)
		far[i] = line[i] * number;
}

static void step(int number)
{
#pragma omp parallel
	{
		int me = omp_get_thread_num(), team = omp_get_num_threads();
		int next = (me + 1) % team, own = MOST * LENGTH / team;

		share_out(&works[me], me, team);
		counts[me] = own - number % 3;
#pragma omp barrier
		for (int i = 0; i < own; i++)
			other[next * own + i] = line[me * own + i] * 0.5 + works[me].first % 7;
		if (me == 0)
			for (int i = team * own; i < MOST * LENGTH; i++)
				other[i] = number;
		sums[me] = 0;
#pragma omp barrier
		int count = counts[next];

		for (int i = 0; i < count; i++)
			line[me * own + i] += other[me * own + (i + shift) % own];
		line[me * own] += count;
		sums[me] += add_up(&line[me * own], own);
#pragma omp barrier
		/* What decides is written here itself. */
		counts[me] = 5 + me;
		for (int i = 0; i < counts[me]; i++)
			other[me * own + i] -= sums[next] * 1e-6;
#pragma omp barrier
		for (int i = 0; i < own; i++)
			near[me * own + i] = other[next * own + i] + 1;
		shared_out(number);
#pragma omp barrier
		if (me == team - 1) {
			memset(&other[0], 0, 40 * sizeof(other[0]));
			shift = 3 + number;
		}
	}
}

int main(void)
{
	double sum = 0;

	for (int i = 0; i < MOST * LENGTH; i++)
		line[i] = i % 13;
	for (int number = 0; number < STEPS; number++) {
		step(number);
		line[number * 100] = -line[number * 37];
	}
	for (int i = 0; i < MOST * LENGTH; i++)
		sum += line[i] + other[i] * 0.125 + near[i] * 0.5 + far[i % LENGTH];
	printf("%.6f %d\n", sum, shift);
	return 0;
}
