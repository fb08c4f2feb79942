/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pipeline-again.c - a turn that goes from thread to thread, upwards or downwards, past some that
 * never wait for it; sequential code sets it back before each region.
 */
#include <omp.h>
#include <stdio.h>

static long sum[1024];
static int turn;

static void hand_on(int times, int down)
{
	turn = 0;
#pragma omp parallel
	{
		int threads = omp_get_num_threads(), thread = omp_get_thread_num();

		for (int time = 0; time < times; time++)
			if ((down ? threads - 1 - time % threads : time % threads) == thread) {
				int now;

				do {
#pragma omp flush
#pragma omp atomic read
					now = turn;
				} while (now != time);
#pragma omp flush
				sum[0] = sum[0] * 3 % 1000003 + time;
#pragma omp flush
#pragma omp atomic write
				turn = time + 1;
#pragma omp flush
			}
	}
}

int main(void)
{
	for (int round = 0; round < 20; round++) {
		hand_on(2, 1);
		printf("%d", turn);
		hand_on(3, 0);
		printf("%d", turn);
	}
	printf(" %ld\n", sum[0]);
	return 0;
}
