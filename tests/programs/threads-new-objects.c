/* SPDX-License-Identifier: GPL-2.0-or-later */
/* threads-new-objects.c - threads of the program's own come to new mutexes while regions run. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define WORKERS 3
#define MUTEXES 500
#define ROUNDS	100

static struct {
	long before;
	pthread_mutex_t mutex;
} object[WORKERS][MUTEXES];
static long table[256];
static volatile int stop;

/* Each node's threads are at another mutex at each time. */
static void *work(void *number)
{
	unsigned state = (unsigned)(size_t)number + (unsigned)getpid();

	for (int i = 0; i < MUTEXES && !stop; i++) {
		pthread_mutex_lock(&object[(size_t)number][i].mutex);
		usleep(rand_r(&state) % 100);
		pthread_mutex_unlock(&object[(size_t)number][i].mutex);
	}
	return NULL;
}

int main(void)
{
	pthread_t worker[WORKERS];
	long sum = 0;

	for (size_t i = 0; i < WORKERS; i++)
		pthread_create(&worker[i], NULL, work, (void *)i);
	for (int round = 0; round < ROUNDS; round++) {
#pragma omp parallel
		{
#pragma omp for
			for (int i = 0; i < 256; i++)
				table[i] += i * round;
#pragma omp single
			object[round % WORKERS][round % MUTEXES].before = round;
		}
	}
	stop = 1;
	for (size_t i = 0; i < WORKERS; i++)
		pthread_join(worker[i], NULL);
	for (int i = 0; i < 256; i++)
		sum += table[i];
	for (int i = 0; i < ROUNDS; i++)
		sum += object[i % WORKERS][i].before;
	printf("%ld\n", sum);
	return 0;
}
