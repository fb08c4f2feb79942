/* SPDX-License-Identifier: GPL-2.0-or-later */
/* threads-objects.c - threads of the program's own that use mutexes and their like during regions.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define WORKERS 3
#define ROUNDS	60

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, gate = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wanted = PTHREAD_COND_INITIALIZER, done = PTHREAD_COND_INITIALIZER;
static sem_t begun;
static int table[256];
static volatile int stop;

/* On the heap, between words that regions write. */
static struct queue {
	long before[4];
	pthread_mutex_t mutex;
	long after[4];
} * queue;

/* Each thread's own, in no region's memory. */
static __thread unsigned turns;

static void *work(void *seed)
{
	unsigned state = (unsigned)(size_t)seed + (unsigned)getpid();

	sem_post(&begun);
	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
		pthread_mutex_lock(&mutex);
		pthread_mutex_lock(&queue->mutex);
		turns++;
		pthread_mutex_unlock(&queue->mutex);
		if (rand_r(&state) % 4 == 0)
			usleep(rand_r(&state) % 300);
		pthread_mutex_unlock(&mutex);
		usleep(rand_r(&state) % 200);
	}
	return NULL;
}

/* Waits during the regions, and is woken behind them. */
static void *wait_long(void *told)
{
	pthread_mutex_lock(&gate);
	while (!stop)
		pthread_cond_wait(&wanted, &gate);
	*(int *)told = 1;
	pthread_cond_signal(&done);
	pthread_mutex_unlock(&gate);
	return NULL;
}

int main(void)
{
	pthread_t worker[WORKERS], waiter;
	int told = 0;
	long sum = 0;

	queue = calloc(1, sizeof(*queue));
	pthread_mutex_init(&queue->mutex, NULL);
	sem_init(&begun, 0, 0);
	for (size_t i = 0; i < WORKERS; i++)
		pthread_create(&worker[i], NULL, work, (void *)i);
	pthread_create(&waiter, NULL, wait_long, &told);
	for (int i = 0; i < WORKERS; i++)
		sem_wait(&begun);
	for (int round = 0; round < ROUNDS; round++) {
#pragma omp parallel
		{
#pragma omp for
			for (int i = 0; i < 256; i++)
				table[i] += i * round;
#pragma omp single
			queue->before[round % 4] += round;
#pragma omp critical
			queue->after[round % 4]++;
		}
	}
	pthread_mutex_lock(&gate);
	stop = 1;
	pthread_cond_signal(&wanted);
	while (!told)
		pthread_cond_wait(&done, &gate);
	pthread_mutex_unlock(&gate);
	for (int i = 0; i < WORKERS; i++)
		pthread_join(worker[i], NULL);
	pthread_join(waiter, NULL);
	pthread_mutex_lock(&mutex);
	for (int i = 0; i < 256; i++)
		sum += table[i];
	for (int i = 0; i < 4; i++)
		sum += queue->before[i] * 1000000 + (queue->after[i] > 0);
	pthread_mutex_unlock(&mutex);
	pthread_mutex_destroy(&queue->mutex);
	free(queue);
	/* What lay there is the regions' again. */
	long *again = malloc(sizeof(struct queue));
#pragma omp parallel for
	for (size_t i = 0; i < sizeof(struct queue) / sizeof(long); i++)
		again[i] = (long)i;
	for (size_t i = 0; i < sizeof(struct queue) / sizeof(long); i++)
		sum += again[i];
	printf("%ld %d\n", sum, told);
	return 0;
}
