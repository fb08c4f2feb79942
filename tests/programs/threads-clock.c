/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A thread of the program's own asks for the time while regions run. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static atomic_int stop;

static void *watch(void *argument)
{
	struct timespec now;

	do {
		clock_gettime(CLOCK_MONOTONIC, &now);
		usleep(100);
	} while (!stop);
	return argument;
}

int main(void)
{
	pthread_t thread;
	double sum = 0;
	int i, round;

	pthread_create(&thread, NULL, watch, NULL);
	for (round = 0; round < 200; round++)
#pragma omp parallel for reduction(+ : sum)
		for (i = 0; i < 100; i++)
			sum += i;
	stop = 1;
	pthread_join(thread, NULL);
	printf("%g\n", sum);
	return 0;
}
