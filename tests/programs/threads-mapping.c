/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * threads-mapping.c - a thread that maps memory for itself all the time, beside a program that maps
 * what its regions share.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define SIZE 65536

static volatile int over;

static char *map(int protection)
{
	char *memory = mmap(NULL, SIZE, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		abort();
	return memory;
}

static void *map_and_unmap(void *unused)
{
	while (!over) {
		char *memory = map(PROT_READ);

		if (mprotect(memory, SIZE, PROT_READ | PROT_WRITE))
			abort();
		memory[1] = 1;
		usleep(20);
		munmap(memory, SIZE);
	}
	return unused;
}

int main(void)
{
	pthread_t thread;
	long sum = 0;

	pthread_create(&thread, NULL, map_and_unmap, NULL);
	for (int round = 0; round < 30; round++) {
		char *memory = map(PROT_READ | PROT_WRITE);

#pragma omp parallel for
		for (int i = 0; i < SIZE; i++)
			memory[i] = (char)(i % 50);
		for (int i = 0; i < SIZE; i++)
			sum += memory[i];
		munmap(memory, SIZE);
	}
	over = 1;
	pthread_join(thread, NULL);
	printf("%ld\n", sum);
	return 0;
}
