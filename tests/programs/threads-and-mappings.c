/* SPDX-License-Identifier: GPL-2.0-or-later */
/* threads-and-mappings.c - a thread that the program makes allocates memory, which is its node's
 * own; what sequential code maps then lies elsewhere.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define SIZE (1ul << 20)

static sem_t allocated, mapped;
static int changed;

static void *own(void *argument)
{
	unsigned char *block = malloc(SIZE / 4);

	(void)argument;
	memset(block, 7, SIZE / 4);
	sem_post(&allocated);
	sem_wait(&mapped);
	for (size_t i = 0; i < SIZE / 4; i++)
		changed += block[i] != 7;
	free(block);
	return NULL;
}

int main(void)
{
	unsigned char *memory;
	pthread_t thread;
	long sum = 0;

	sem_init(&allocated, 0, 0);
	sem_init(&mapped, 0, 0);
	pthread_create(&thread, NULL, own, NULL);
	sem_wait(&allocated);
	memory = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	memset(memory, 3, SIZE);
	sem_post(&mapped);
	pthread_join(thread, NULL);
#pragma omp parallel for reduction(+ : sum)
	for (size_t i = 0; i < SIZE; i++)
		sum += memory[i];
	printf("%d %ld\n", changed, sum);
	return 0;
}
