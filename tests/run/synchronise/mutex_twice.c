/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A mutex that a thread locks again waits for itself. */
#include <pthread.h>

static pthread_mutex_t door = PTHREAD_MUTEX_INITIALIZER;

int main(void)
{
#pragma omp parallel
	{
		pthread_mutex_lock(&door);
		pthread_mutex_lock(&door);
	}
	return 0;
}
