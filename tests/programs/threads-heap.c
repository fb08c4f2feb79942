/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Threads of the program's own allocate and free at the same time, before and after a region. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define THREADS 4
#define BLOCKS 64
#define ROUNDS 20000

static atomic_long counted;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long under_lock;

static void *churn(void *argument)
{
	unsigned seed = (unsigned)(size_t)argument + 1;
	char *block[BLOCKS] = {NULL};
	size_t wrong = 0;
	int round, i;

	for (round = 0; round < ROUNDS; round++) {
		size_t size;

		seed = seed * 1103515245u + 12345u;
		i = (int)(seed >> 16) % BLOCKS;
		size = 1 + (seed >> 8) % 300;
		if (block[i])
			wrong += block[i][0] != (char)i;
		block[i] = round % 7 ? realloc(block[i], size) : (free(block[i]), malloc(size));
		memset(block[i], i, size);
		counted++;
		if (round % 16 == 0) {
			pthread_mutex_lock(&lock);
			under_lock++;
			pthread_mutex_unlock(&lock);
		}
	}
	for (i = 0; i < BLOCKS; i++)
		free(block[i]);
	return (void *)wrong;
}

static size_t run(void)
{
	pthread_t thread[THREADS];
	size_t wrong = 0;
	void *result;
	int i;

	for (i = 0; i < THREADS; i++)
		pthread_create(&thread[i], NULL, churn, (void *)(size_t)i);
	for (i = 0; i < THREADS; i++) {
		pthread_join(thread[i], &result);
		wrong += (size_t)result;
	}
	return wrong;
}

int main(void)
{
	size_t wrong = run();
	int sum = 0, i;

#pragma omp parallel for reduction(+ : sum)
	for (i = 0; i < 100; i++)
		sum += i;
	printf("%zu %ld %ld %d\n", wrong, atomic_load(&counted), under_lock, sum);
	return 0;
}
