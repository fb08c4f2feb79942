/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A mutex that another thread has locked. */
#include <omp.h>
#include <pthread.h>

static pthread_mutex_t door = PTHREAD_MUTEX_INITIALIZER;

int main(void)
{
#pragma omp parallel
	{
		if (omp_get_thread_num() == 1)
			pthread_mutex_lock(&door);
#pragma omp barrier
		if (omp_get_thread_num() == 0)
			pthread_mutex_unlock(&door);
	}
	return 0;
}
