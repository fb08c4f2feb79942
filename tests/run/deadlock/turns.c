/* SPDX-License-Identifier: GPL-2.0-or-later */
/* turns.c - the thread whose turn it is waits for a lock that a thread of a later turn holds. */
#include <omp.h>
#include <stdio.h>

int main(void)
{
	omp_lock_t lock;

	omp_init_lock(&lock);
#pragma omp parallel
	{
		int threads = omp_get_num_threads();

		if (omp_get_thread_num() == threads - 1)
			omp_set_lock(&lock);
#pragma omp barrier
#pragma omp for ordered schedule(static, 1)
		for (int i = 0; i < threads; i++) {
			if (i == 0)
				omp_set_lock(&lock);
#pragma omp ordered
			printf("turn %d\n", i);
		}
	}
	return 0;
}
