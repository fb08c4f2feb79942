/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * threads-library.c - threads of the program's own use the C library, and end, while regions run:
 * what it notes of them is each node's own.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define WORKERS 3
#define ROUNDS	300

static long table[256];
static volatile int stop;

/* These lock words of the C library's all the time. */
static void *use(void *unused)
{
	char text[64];
	time_t time = 1000;
	struct tm local;

	while (!stop) {
		fputs("", stdout);
		localtime_r(&time, &local);
		strftime(text, sizeof(text), "%c", &local);
	}
	return unused;
}

/* On each node these end at other times. */
static void *end(void *number)
{
	unsigned state = (unsigned)(size_t)number + (unsigned)getpid();

	usleep(rand_r(&state) % 20000);
	return NULL;
}

int main(void)
{
	pthread_t worker[WORKERS], user;
	long sum = 0;

	pthread_create(&user, NULL, use, NULL);
	for (size_t i = 0; i < WORKERS; i++)
		pthread_create(&worker[i], NULL, end, (void *)i);
	for (int round = 0; round < ROUNDS; round++) {
#pragma omp parallel for
		for (int i = 0; i < 256; i++)
			table[i] += i * round;
		fputs("", stdout);
	}
	stop = 1;
	for (size_t i = 0; i < WORKERS; i++)
		pthread_join(worker[i], NULL);
	pthread_join(user, NULL);
	for (int i = 0; i < 256; i++)
		sum += table[i];
	printf("%ld\n", sum);
	return 0;
}
