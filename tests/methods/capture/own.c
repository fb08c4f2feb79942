/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * own.c - what is a node's own stays so, though dickpt's checkpoints hold it: automatic variables,
 * threadprivate ones, return addresses, registers.
 */
#include <stdio.h>
#include <string.h>
#include <omp.h>

#define THREADS 4
#define SIZE	3000
#define ROUNDS	5

static int kept;
static int per_thread[SIZE];
#pragma omp threadprivate(kept, per_thread)

static int shared[THREADS][SIZE], all_right[THREADS];

/* Nodes come here from different places, and each must go back to where it came from. */
static __attribute__((noinline)) void meet(void)
{
#pragma omp barrier
}

static __attribute__((noinline)) int first_way(int value)
{
	meet();
	return 3 * value + 1;
}

static __attribute__((noinline)) int second_way(int value)
{
	volatile int more[100];

	for (int i = 0; i < 100; i++)
		more[i] = value;
	meet();
	return 5 * more[value % 100] + 2;
}

/* Doubles and integers that compilers keep in registers where they can. */
static int work(int me)
{
	int own[SIZE], good = 1;
	double a = 1.5 + me, b = 2.5 * me, c = 0.25 - me;
	long i1 = me * 1000L, i2 = me ^ 77L, i3 = -me;

	for (int round = 0; round < ROUNDS; round++) {
		int way;

		for (int i = 0; i < SIZE; i++) {
			own[i] = me * 7 + i + round;
			per_thread[i] = me * 11 + i + round;
			shared[me][i] = me * 13 + i + round;
		}
		kept = me + round;
		way = me % 2 ? first_way(me + round) : second_way(me + round);
		good &= way == (me % 2 ? 3 * (me + round) + 1 : 5 * (me + round) + 2);
		good &= kept == me + round;
		for (int i = 0; i < SIZE; i++)
			good &= own[i] == me * 7 + i + round &&
				per_thread[i] == me * 11 + i + round;
		for (int thread = 0; thread < omp_get_num_threads(); thread++)
			for (int i = 0; i < SIZE; i++)
				good &= shared[thread][i] == thread * 13 + i + round;
		meet();
	}
	good &= a == 1.5 + me && b == 2.5 * me && c == 0.25 - me;
	return good && i1 == me * 1000L && i2 == (me ^ 77L) && i3 == -me;
}

int main(void)
{
	int threads = 0, bad = 0;

#pragma omp parallel num_threads(THREADS)
	{
		int me = omp_get_thread_num();

		all_right[me] = work(me);
#pragma omp single
		threads = omp_get_num_threads();
	}
	/* Threadprivate variables last from region to region. */
#pragma omp parallel num_threads(THREADS)
	{
		int me = omp_get_thread_num();

		all_right[me] &=
			kept == me + ROUNDS - 1 && per_thread[5] == me * 11 + 5 + ROUNDS - 1;
	}
	for (int thread = 0; thread < threads; thread++)
		bad |= !all_right[thread];
	printf(bad ? "bad\n" : "all right\n");
	return bad;
}
