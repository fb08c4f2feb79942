/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * print-turns.c - threads print in turns that they hand on in a critical section, by a flush, or by
 * a lock that is kept for long: what is printed has the order of the turns.
 */
#include <omp.h>
#include <stdio.h>
#include <unistd.h>

#define ROUNDS 6

static int turn, flag;
static omp_lock_t lock;

static void by_critical(int me, int threads)
{
	for (int round = 0; round < ROUNDS; round++)
		for (int mine = 0; !mine;) {
#pragma omp critical
			if (turn == round * threads + me) {
				mine = 1;
				printf("critical: round %d, thread %d\n", round, me);
				turn++;
			}
		}
}

static void by_flush(int me, int threads)
{
	for (int round = 0; round < ROUNDS; round++) {
		int now;

		do {
#pragma omp flush
#pragma omp atomic read
			now = flag;
		} while (now != round * threads + me);
		fprintf(stderr, "flush: round %d, thread %d\n", round, me);
		printf("flush: round %d, thread %d\n", round, me);
#pragma omp flush
#pragma omp atomic write
		flag = now + 1;
#pragma omp flush
	}
}

/* Others wait for so long that they sleep. */
static void by_lock(int threads)
{
	for (int mine = 0; mine < 2;) {
		omp_set_lock(&lock);
		usleep(25000);
		printf("lock: %d of %d\n", ++turn, 2 * threads);
		mine++;
		omp_unset_lock(&lock);
	}
}

int main(void)
{
	omp_init_lock(&lock);
#pragma omp parallel
	{
		by_critical(omp_get_thread_num(), omp_get_num_threads());
#pragma omp barrier
		by_flush(omp_get_thread_num(), omp_get_num_threads());
#pragma omp barrier
#pragma omp single
		turn = 0;
		by_lock(omp_get_num_threads());
	}
	omp_destroy_lock(&lock);
	printf("%d turns\n", turn);
	return 0;
}
