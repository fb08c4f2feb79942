/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * need-early.c - a thread fetches a page as it is in its owner's memory: with a flag that the owner
 * has not flushed yet.  The thread takes the flag back, and flushes, before the owner does, who has
 * to tell a third one of both, which read the page before.
 */
#include <omp.h>
#include <stdio.h>
#include <time.h>

enum { THREADS = 16, ROUNDS = 8, LONGS = 511 };

/* A page each; the owner is who has filled it. */
static struct box {
	volatile int hand;
	int taken;
	long filling[LONGS];
} box[THREADS] __attribute__((aligned(4096)));

static void rest(long microseconds)
{
	nanosleep(&(struct timespec){.tv_nsec = microseconds * 1000}, NULL);
}

static void give(struct box *to)
{
	rest(2000);
	to->hand = 1;
	rest(6000);
#pragma omp flush
	while (to->hand) {
#pragma omp flush
	}
}

static void take(struct box *from)
{
	rest(4000);
	while (!from->hand) {
#pragma omp flush
	}
	from->taken++;
	from->hand = 0;
#pragma omp flush
}

/* By threads of three: one gives, one takes, one reads. */
static long play(int me, int team)
{
	struct box *of = &box[me / 3 * 3];

	if (me % 3 == 2)
		return of->filling[0];
	if (me % 3 == 1)
		take(of);
	else if (me + 1 < team)
		give(of);
	return 0;
}

int main(void)
{
	long sum = 0, seen = 0;
	int taken = 0, threads = 0;

	for (int round = 0; round < ROUNDS; round++) {
#pragma omp parallel reduction(+ : seen)
		{
			int me = omp_get_thread_num(), team = omp_get_num_threads();

			for (int i = 0; i < LONGS; i++)
				box[me].filling[i] = round + i + me;
#pragma omp barrier
			seen += play(me, team) >= round;
#pragma omp single
			threads = team;
		}
	}
	for (int i = 0; i < THREADS; i++) {
		taken += box[i].taken;
		sum += i < 2 ? box[i].filling[LONGS - 1] : 0;
		sum += box[i].hand;
	}
	/* Of each three threads, if two of them are there. */
	printf("%ld %d %d\n", sum, taken == (threads + 1) / 3 * ROUNDS,
	       seen / ROUNDS == threads / 3);
	return 0;
}
