/* SPDX-License-Identifier: GPL-2.0-or-later */
/* flush-flag.c - producer and consumer, a token in a ring, by flush with and without a list. */
#include <omp.h>
#include <sched.h>
#include <stdio.h>

#define ITEMS 12

static int full, box, sum, token, visits[64];
static double big[3000];
static volatile int done[64];

/* Waits until *flag is VALUE; the list names what is waited for. */
static void wait_for(int *flag, int value)
{
	int seen;

	do {
		sched_yield();
#pragma omp flush
		seen = *flag;
	} while (seen != value);
}

int main(void)
{
	int threads = omp_get_max_threads(), wrong = 0, ready = 0, extra = 0;

	/* One item at a time; a team of one produces and consumes in turn. */
#pragma omp parallel reduction(+ : wrong)
	{
		int me = omp_get_thread_num();

		for (int i = 1; i <= ITEMS; i++) {
			if (me == 0) {
				if (threads > 1)
					wait_for(&full, 0);
				box = i * i;
#pragma omp flush
				full = 1;
#pragma omp flush
			}
			if (me == threads - 1) {
				wait_for(&full, 1);
#pragma omp flush
				sum += box;
#pragma omp flush
				full = 0;
#pragma omp flush
			}
		}
		/* Much data behind one flag, and lists. */
		if (me == 0) {
			for (int i = 0; i < 3000; i++)
				big[i] = i;
			extra = 5;
#pragma omp flush
			ready = 1;
#pragma omp flush(ready)
		} else {
			for (;;) {
				int seen;

#pragma omp flush(ready)
				seen = ready;
				if (seen)
					break;
				sched_yield();
			}
#pragma omp flush
			for (int i = 0; i < 3000; i++)
				wrong += big[i] != i;
			wrong += extra != 5;
		}
#pragma omp barrier
		/* A token goes around twice; who has it writes the next cell. */
		for (int round = 0; round < 2; round++) {
			wait_for(&token, round * threads + me);
			visits[me] = visits[(me + threads - 1) % threads] + 1;
#pragma omp flush
			token++;
#pragma omp flush
		}
		/* volatile: a flush is implied by the barrier, not by the variable. */
		done[me] = me + 1;
#pragma omp flush
		for (int t = 0; t < threads; t++)
			while (done[t] != t + 1) {
#pragma omp flush
				sched_yield();
			}
	}
	printf("%d wrong, %d %d %d\n", wrong, sum, token == 2 * threads,
	       visits[threads - 1] == 2 * threads);
	return 0;
}
