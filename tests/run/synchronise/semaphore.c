/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A semaphore in a region. */
#include <semaphore.h>

int main(void)
{
	static sem_t places;

	sem_init(&places, 0, 1);
#pragma omp parallel
	{
		sem_wait(&places);
		sem_post(&places);
	}
	return 0;
}
