/* SPDX-License-Identifier: GPL-2.0-or-later */
/* threads-reused.c - memory is allocated anew that held a semaphore of the program's own threads.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define COUNT 256

static pid_t number;
static int total;

/* The number that sequential code is told is node 0's: semaphores come to differ. */
static void *post(void *semaphore)
{
	for (int i = syscall(SYS_getpid) == number ? 1 : 3; i > 0; i--)
		sem_post(semaphore);
	return NULL;
}

/* A block that one was in, and what else is in it is zero. */
static void use(void)
{
	int *block = calloc(COUNT, sizeof(int));
	sem_t *semaphore = (sem_t *)(block + COUNT / 4);
	pthread_t thread;

	sem_init(semaphore, 0, 0);
	if (pthread_create(&thread, NULL, post, semaphore))
		exit(1);
	pthread_join(thread, NULL);
	free(block);
}

int main(void)
{
	int *cells;

	number = getpid();
	for (int round = 0; round < 5; round++) {
		use();
		cells = malloc(COUNT * sizeof(int));
#pragma omp parallel for
		for (int i = 0; i < COUNT; i++)
			cells[i] = 1;
		for (int i = 0; i < COUNT; i++)
			total += cells[i];
		free(cells);
		use();
		/* By one thread, in a region. */
#pragma omp parallel
#pragma omp single
		{
			cells = malloc(COUNT * sizeof(int));
			for (int i = 0; i < COUNT; i++)
				cells[i] = 1;
		}
		for (int i = 0; i < COUNT; i++)
			total += cells[i];
		free(cells);
	}
#pragma omp parallel
	;
	printf("%d\n", total);
	return 0;
}
