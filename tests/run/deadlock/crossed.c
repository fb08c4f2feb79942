/* SPDX-License-Identifier: GPL-2.0-or-later */
/* crossed.c - each thread holds one lock and waits for its neighbour's. */
#include <omp.h>
#include <stdio.h>

int main(void)
{
	omp_lock_t lock[16];

	for (int i = 0; i < 16; i++)
		omp_init_lock(&lock[i]);
#pragma omp parallel
	{
		int own = omp_get_thread_num(), next = (own + 1) % omp_get_num_threads();

		omp_set_lock(&lock[own]);
#pragma omp barrier
		omp_set_lock(&lock[next]);
		omp_unset_lock(&lock[next]);
		omp_unset_lock(&lock[own]);
	}
	printf("not reached\n");
	return 0;
}
