/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * flush-list.c - a pipeline of threads that flush their flags alone, as LU of the NAS benchmarks
 * does: who sees a flag reads what was written before the flag, whatever other threads of the
 * writer's node publish at that time, and of the reader's take.
 */
#include <omp.h>
#include <sched.h>
#include <stdio.h>

#define STEPS 60
#define LONGS 2048
#define MOST  20

static int before[MOST];
static long row[MOST][STEPS + 1][LONGS];
static int after[MOST];

static void await(int left, int step)
{
	int seen;

	for (;;) {
		seen = step % 2 ? before[left] : after[left];
		if (seen >= step)
			return;
#pragma omp flush(before, after)
		sched_yield();
	}
}

static void announce(int me, int step)
{
	if (step % 2)
		before[me] = step;
	else
		after[me] = step;
#pragma omp flush(before, after)
}

static long pass(int me)
{
	long wrong = 0;

	for (int step = 1; step <= STEPS; step++) {
		if (me)
			await(me - 1, step);
		for (int i = LONGS - 1; i >= 0; i--) {
			wrong += me && row[me - 1][step][i] != step * (long)me;
			row[me][step][i] = step * (long)(me + 1);
		}
		announce(me, step);
	}
	return wrong;
}

int main(void)
{
	long wrong = 0;

#pragma omp parallel reduction(+ : wrong)
	wrong = pass(omp_get_thread_num());
	printf("%ld wrong\n", wrong);
	return 0;
}
