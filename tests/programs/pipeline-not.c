/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pipeline-not.c - loops that look like pipelines, in which others read more than the loop says:
 * before it, after it, where a barrier comes in between, and by what is written in it.
 */
#include <omp.h>
#include <stdio.h>

enum { SIZE = 900, ROUNDS = 6, THREADS = 64 };

static long data[THREADS][SIZE];
static int flag[THREADS], round_of[THREADS];
static int shift;
static long read_before, read_after, read_between, read_shifted;

static void fill(int me, int k)
{
	for (int i = 0; i < SIZE; i++)
		data[me][i] += k * 3 + i + me;
}

static void await(const int *flags, int which, int value)
{
	while (((const volatile int *)flags)[which] < value) {
#pragma omp flush
	}
#pragma omp flush
}

static void announce(int *flags, int which, int value)
{
#pragma omp flush
	flags[which] = value;
#pragma omp flush
}

/* The last thread reads, before its loop, what the first one has written in the loop. */
static void before(int round)
{
#pragma omp parallel
	{
		int me = omp_get_thread_num(), team = omp_get_num_threads();

#pragma omp barrier
		if (me == team - 1 && team > 1) {
			await(flag, 0, round * ROUNDS + ROUNDS);
			read_before += data[0][SIZE / 2];
		}
		for (int k = 0; k < ROUNDS; k++) {
			fill(me, k);
			announce(flag, me, round * ROUNDS + k + 1);
		}
	}
}

/* The same after its own loop. */
static void after(int round)
{
#pragma omp parallel
	{
		int me = omp_get_thread_num(), team = omp_get_num_threads();

#pragma omp barrier
		for (int k = 0; k < ROUNDS; k++) {
			fill(me, k);
			announce(flag, me, round * ROUNDS + k + 1);
		}
		if (me == team - 1 && team > 1) {
			await(flag, 0, round * ROUNDS + ROUNDS);
			read_after += data[0][SIZE / 3];
		}
	}
}

/* In its loop, after a barrier. */
static void between(int round)
{
#pragma omp parallel
	{
		int me = omp_get_thread_num(), team = omp_get_num_threads();
		long sum = 0;

#pragma omp barrier
		for (int k = 0; k < ROUNDS; k++) {
			fill(me, k);
			announce(flag, me, round * ROUNDS + k + 1);
#pragma omp barrier
			sum += data[(me + 1) % team][k];
#pragma omp barrier
		}
#pragma omp critical
		read_between += sum;
	}
}

/* What is read follows from what the loop writes. */
static void shifted(int round)
{
#pragma omp parallel
	{
		int me = omp_get_thread_num(), team = omp_get_num_threads();

#pragma omp barrier
		for (int k = 0; k < ROUNDS; k++) {
			fill(me, k);
			if (me == 0)
				shift = 5 * k;
			announce(flag, me, round * ROUNDS + k + 1);
			if (me == team - 1 && team > 1) {
				await(flag, 0, round * ROUNDS + k + 1);
				read_shifted += data[0][shift] * 0 + shift * 0 + 1;
			}
			round_of[me] = k;
		}
	}
}

int main(void)
{
	int team = 1;
	long sum = 0;

#pragma omp parallel
#pragma omp master
	team = omp_get_num_threads();
	for (int round = 0; round < 3; round++) {
		before(4 * round);
		after(4 * round + 1);
		between(4 * round + 2);
		shifted(4 * round + 3);
	}
	for (int i = 0; i < team; i++)
		for (int j = 0; j < SIZE; j++)
			sum = sum * 31 + data[i][j];
	printf("%lx %ld %ld %ld %ld\n", (unsigned long)sum, read_before, read_after, read_between,
	       read_shifted);
	return 0;
}
