/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * threads-page.c - words in front of and behind a mutex of the program's own thread, in one page of
 * much memory of which little is written.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define MUCH   (1 << 20)
#define WORDS  16
#define ROUNDS 24

static struct shared {
	long before[WORDS];
	pthread_mutex_t mutex;
	long after[WORDS];
} * shared;

static void *work(void *unused)
{
	(void)unused;
	for (int i = 0; i < 100; i++) {
		pthread_mutex_lock(&shared->mutex);
		pthread_mutex_unlock(&shared->mutex);
	}
	return NULL;
}

int main(void)
{
	long *much = malloc(MUCH * sizeof(*much)), sum = 0;
	pthread_t worker;

	for (int i = 0; i < MUCH; i++)
		much[i] = i;
	shared = calloc(1, sizeof(*shared));
	pthread_mutex_init(&shared->mutex, NULL);
	pthread_create(&worker, NULL, work, NULL);
	pthread_join(worker, NULL);
	for (int round = 0; round < ROUNDS; round++) {
#pragma omp parallel for
		for (int i = 0; i < WORDS; i++) {
			shared->before[i] += i * round + much[round * 1000 + i];
			shared->after[i] += shared->before[i];
		}
		much[round * 40000] += shared->after[round % WORDS];
	}
	for (int i = 0; i < WORDS; i++)
		sum = sum * 31 + shared->after[i];
	for (int i = 0; i < MUCH; i++)
		sum = sum * 31 + much[i];
	printf("%ld\n", sum);
	free(much);
	free(shared);
	return 0;
}
