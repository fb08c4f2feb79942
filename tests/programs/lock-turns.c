/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lock-turns.c - threads that ask for a lock over and over again, until it is their turn. */
#include <omp.h>
#include <stdio.h>

#define ROUNDS 50

int main(void)
{
	int turn = 0, done = 0;
	omp_lock_t lock;

	omp_init_lock(&lock);
#pragma omp parallel
	for (int round = 0; round < ROUNDS; round++) {
		int me = omp_get_thread_num(), threads = omp_get_num_threads(), mine = 0;

		while (!mine) {
			omp_set_lock(&lock);
			mine = turn == me;
			if (mine) {
				turn = (turn + 1) % threads;
				done++;
			}
			omp_unset_lock(&lock);
		}
	}
	omp_destroy_lock(&lock);
	printf("%d turns each\n", done / omp_get_max_threads());
	return 0;
}
