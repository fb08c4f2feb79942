/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A parallel region in a thread that the program made itself. */
#include <pthread.h>
#include <stdio.h>

static int sum;

static void *work(void *argument)
{
	int i;

#pragma omp parallel for reduction(+ : sum)
	for (i = 0; i < 100; i++)
		sum += i;
	return argument;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, work, NULL);
	pthread_join(thread, NULL);
	printf("%d\n", sum);
	return 0;
}
