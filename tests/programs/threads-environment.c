/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * threads-environment.c - the run time's own use of the heap, for the environment and for calls
 * that all nodes must make, beside a thread that allocates all the time.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

static volatile int over;

static void *allocate(void *unused)
{
	while (!over) {
		void *block[16];

		for (int i = 0; i < 16; i++)
			block[i] = malloc((size_t)(16 + 40 * i));
		for (int i = 0; i < 16; i++)
			free(block[i]);
	}
	return unused;
}

int main(void)
{
	char text[16];
	pthread_t thread;
	long sum = 0;

	pthread_create(&thread, NULL, allocate, NULL);
	for (int round = 0; round < 10; round++) {
		for (int i = 0; i < 400; i++) {
			snprintf(text, sizeof(text), "%d", round * i);
			setenv("CAPE_TEST_VALUE", text, 1);
		}
#pragma omp parallel
		{
#pragma omp single
			for (int i = 0; i < 100; i++)
				signal(SIGUSR1, i % 2 ? SIG_IGN : SIG_DFL);
		}
		sum += atoi(getenv("CAPE_TEST_VALUE"));
	}
	over = 1;
	pthread_join(thread, NULL);
	printf("%ld\n", sum);
	return 0;
}
