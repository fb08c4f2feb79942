/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A lock of OpenMP in a thread that the program made itself, as if it were the node's. */
#include <omp.h>
#include <pthread.h>
#include <stdio.h>

static omp_lock_t lock;

static void *work(void *argument)
{
	omp_set_lock(&lock);
	return argument;
}

int main(void)
{
	pthread_t thread;

	omp_init_lock(&lock);
#pragma omp parallel
	omp_get_thread_num();
	omp_set_lock(&lock);
	pthread_create(&thread, NULL, work, NULL);
	pthread_join(thread, NULL);
	puts("both");
	return 0;
}
