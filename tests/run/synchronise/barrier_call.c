/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A barrier of POSIX in a function that a region calls, too. */
#include <pthread.h>

static pthread_barrier_t all;

static void meet(void)
{
	pthread_barrier_wait(&all);
}

int main(void)
{
	pthread_barrier_init(&all, NULL, 1);
	meet();
#pragma omp parallel
	meet();
	return 0;
}
