/* SPDX-License-Identifier: GPL-2.0-or-later */
/* barrier-by-hand.c - a barrier that the program makes of atomics and flush, and of a lock. */
#include <omp.h>
#include <sched.h>
#include <stdio.h>

static int waiting, phase, value[64], locked_waiting, locked_phase;
static omp_lock_t lock;

static void by_atomics(int threads)
{
	int mine, seen, arrived;

#pragma omp atomic read
	mine = phase;
#pragma omp flush
#pragma omp atomic capture
	arrived = ++waiting;
	if (arrived == threads) {
		waiting = 0;
#pragma omp flush
#pragma omp atomic
		phase++;
	} else {
		do {
			sched_yield();
#pragma omp atomic read
			seen = phase;
		} while (seen == mine);
	}
#pragma omp flush
}

static void by_lock(int threads)
{
	int mine, seen;

	omp_set_lock(&lock);
	mine = locked_phase;
	if (++locked_waiting == threads) {
		locked_waiting = 0;
		locked_phase++;
	}
	omp_unset_lock(&lock);
	do {
		sched_yield();
		omp_set_lock(&lock);
		seen = locked_phase;
		omp_unset_lock(&lock);
	} while (seen == mine);
}

int main(void)
{
	int wrong = 0;

	omp_init_lock(&lock);
#pragma omp parallel reduction(+ : wrong)
	{
		int me = omp_get_thread_num(), threads = omp_get_num_threads();

		for (int round = 1; round <= 4; round++) {
			value[me] = round * 100 + me;
			by_atomics(threads);
			for (int t = 0; t < threads; t++)
				wrong += value[t] != round * 100 + t;
			by_atomics(threads);
			value[me] = -round;
			by_lock(threads);
			for (int t = 0; t < threads; t++)
				wrong += value[t] != -round;
			by_lock(threads);
		}
	}
	omp_destroy_lock(&lock);
	printf("%d wrong, %d %d\n", wrong, phase, locked_phase);
	return 0;
}
