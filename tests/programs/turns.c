/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * turns.c - regions whose threads may run one after the other: what each has found or carried is
 * put together in critical constructs, by thread numbers, and where the order does not matter.
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#define SIZE   700
#define ROUNDS 90

static int value[SIZE], mark[SIZE], taken;
static unsigned count[64];

static unsigned next(unsigned *state)
{
	*state = *state * 1103515245u + 12345u;
	return *state >> 16;
}

/* The place of the largest value, of several the first one. */
static int largest(int from)
{
	int place = from;

#pragma omp parallel
	{
		int own = -1;

#pragma omp for nowait
		for (int i = from; i < SIZE; i++)
			if (own < 0 || value[i] > value[own])
				own = i;
#pragma omp critical
		if (own >= 0 &&
		    (value[own] > value[place] || (value[own] == value[place] && own < place)))
			place = own;
	}
	return place;
}

/* Of each thread's numbers those of the others are a continuation. */
static void fill(int round)
{
#pragma omp parallel
	{
		int thread = omp_get_thread_num(), threads = omp_get_num_threads();
		int first = SIZE * thread / threads, last = SIZE * (thread + 1) / threads;
		unsigned state = (unsigned)round;

		for (int i = 0; i < first; i++)
			next(&state);
		for (int i = first; i < last; i++)
			value[i] = (int)(next(&state) % 1000);
	}
}

static void add(int index, int much)
{
#pragma omp critical(add)
	count[index % 64] += (unsigned)much;
}

/* In any order, once each. */
static void in_any_order(int round)
{
#pragma omp parallel
	{
		int *own = calloc(64, sizeof(int));

#pragma omp for schedule(dynamic, 3) nowait
		for (int i = 0; i < SIZE; i++)
			own[value[i] % 64]++;
#pragma omp for schedule(guided) nowait
		for (int i = 0; i < SIZE; i += 7)
			own[i % 64] += 2;
#pragma omp single nowait
		mark[round] += 5;
#pragma omp sections nowait
		{
#pragma omp section
			mark[round + 100] += 2;
#pragma omp section
			mark[round + 200] += 3;
#pragma omp section
			add(round, 4);
		}
#pragma omp master
		mark[round + 300]++;
		for (int i = 0; i < 64; i++)
			add(i, own[i]);
		free(own);
	}
}

/* A number for each: which one gets which is left open. */
static long take(void)
{
	long sum = 0;

	taken = 0;
#pragma omp parallel num_threads(2)
	for (int i = 0; i < 10; i++) {
		int got;

#pragma omp atomic capture
		got = taken++;
		mark[400 + got] = 1;
	}
	for (int i = 0; i < taken; i++)
		sum += mark[400 + i];
	return sum;
}

static long carried(int round)
{
	int last = 0, much = round;
	long sum = 0;

#pragma omp parallel for firstprivate(much) lastprivate(last) reduction(+ : sum)
	for (int i = 0; i < SIZE; i++) {
		much = i % 3 ? much : value[i];
		sum += i % 3 == 0 ? much : 0;
		last = value[i] + i;
	}
	return sum * 7 + last;
}

/* Threads wait for each other, though for nothing. */
static long apart(int round)
{
	int most = 0, last = 0;
	long sum = 0;

#pragma omp parallel
	{
		int own = 0, sums[16] = {0};

#pragma omp for reduction(+ : sum) lastprivate(last)
		for (int i = 0; i < SIZE; i++) {
			mark[i] += value[i] % 5;
			sums[value[i] % 16] += i;
			sum += i * value[i];
			own = value[i] > own ? value[i] : own;
			last = mark[i];
		}
#pragma omp critical
		most = own > most ? own : most;
#pragma omp barrier
		for (int i = 0; i < 16; i++) {
#pragma omp atomic
			count[i] += (unsigned)sums[i];
		}
	}
	return most * sum + last + round;
}

int main(void)
{
	unsigned long total = 0;

	for (int round = 0; round < ROUNDS; round++) {
		fill(round);
		total = total * 31 + (unsigned long)largest(round % 50);
		in_any_order(round);
		total = total * 31 + (unsigned long)take();
		total = total * 31 + (unsigned long)carried(round);
		total = total * 31 + (unsigned long)apart(round);
		value[round] += (int)(count[round % 64] % 10);
	}
	for (int i = 0; i < SIZE; i++)
		total = total * 31 + (unsigned long)(value[i] + mark[i]);
	for (int i = 0; i < 64; i++)
		total = total * 31 + count[i];
	printf("%lu\n", total);
	return 0;
}
