/* SPDX-License-Identifier: GPL-2.0-or-later */
/* atomic-read-write.c - threads wait for each other by atomic reads and writes alone. */
#include <omp.h>
#include <sched.h>
#include <stdio.h>

static int turn, ready[64], arrived;
static double value;
static long order[200];

int main(void)
{
	int threads = omp_get_max_threads(), wrong = 0, position = 0;

#pragma omp parallel reduction(+ : wrong)
	{
		int me = omp_get_thread_num(), seen;
		double copy;

		/* In turns, three times around. */
		for (int round = 0; round < 3; round++) {
			do {
#pragma omp atomic read
				seen = turn;
				sched_yield();
			} while (seen != round * threads + me);
			/* Only the thread whose turn it is touches this. */
#pragma omp flush
			order[position++] = me;
#pragma omp flush
#pragma omp atomic write
			turn = seen + 1;
		}
		/* A barrier out of a counter that others update. */
#pragma omp atomic
		arrived++;
		do {
#pragma omp atomic read
			seen = arrived;
			sched_yield();
		} while (seen < threads);
#pragma omp atomic write
		ready[me] = me + 1;
		/* Each waits for the next one's word. */
		do {
#pragma omp atomic read
			seen = ready[(me + 1) % threads];
			sched_yield();
		} while (!seen);
		wrong += seen != (me + 1) % threads + 1;
		/* A double is written and read as a whole. */
		for (int i = 0; i < 20; i++) {
#pragma omp atomic write
			value = me % 2 ? 1e300 : -1e-300;
#pragma omp atomic read
			copy = value;
			wrong += copy != 1e300 && copy != -1e-300;
		}
	}
	for (int i = 0; i < 3 * threads; i++)
		wrong += order[i] != i % threads;
	printf("%d wrong, %d %d %d\n", wrong, turn == 3 * threads, arrived == threads,
	       position == 3 * threads);
	return 0;
}
