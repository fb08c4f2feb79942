/* SPDX-License-Identifier: GPL-2.0-or-later */
/* process-functions.c - timers, random numbers and the like have one state for all threads: what
 * the last thread does to it in a region holds for the others behind a barrier, and for what
 * follows.
 */
#define _GNU_SOURCE
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#define COUNT 40

static char text[] = "one two three four five";

static void say_last(int status, void *argument)
{
	printf("%s, status %d\n", (const char *)argument, status);
}

static int is_last(void)
{
	return omp_get_thread_num() == omp_get_num_threads() - 1;
}

static void random_numbers(void)
{
	static char other[64];
	static unsigned short parameters[7] = {1, 2, 3, 4, 5, 6, 7};
	unsigned long sum = 0;
	char *old = NULL;
	int first = 0;

#pragma omp parallel
	if (is_last()) {
		srand(42);
		srand48(43);
		first = rand();
	}
	printf("seeded: %d %d %ld %ld %g\n", first, rand(), lrand48(), mrand48(), drand48());
#pragma omp parallel for reduction(+ : sum)
	for (int i = 0; i < COUNT; i++) {
#pragma omp critical
		sum += (unsigned long)random() + (unsigned long)lrand48();
	}
	printf("drawn: %lu %d %ld\n", sum, rand(), lrand48());
#pragma omp parallel
	if (is_last()) {
		old = initstate(7, other, sizeof(other));
		lcong48(parameters);
	}
	printf("another state: %ld %ld\n", random(), lrand48());
	setstate(old);
	printf("the old one: %ld\n", random());
}

static void tokens(void)
{
	const char *first = NULL;

#pragma omp parallel
	{
		if (is_last())
			first = strtok(text, " ");
#pragma omp barrier
#pragma omp single
		printf("then %s\n", strtok(NULL, " "));
	}
	printf("first %s, behind %s\n", first, strtok(NULL, " "));
}

static void timers(void)
{
	struct itimerval value = {.it_value.tv_sec = 500}, left;
	unsigned int seconds = 0, again = 0;

#pragma omp parallel
	{
		if (is_last())
			alarm(1000);
#pragma omp barrier
#pragma omp single
		seconds = alarm(2000);
	}
	again = alarm(0);
	printf("alarm: %d %d\n", seconds > 900 && seconds <= 1000, again > 1900);
#pragma omp parallel
	if (is_last())
		setitimer(ITIMER_REAL, &value, NULL);
	getitimer(ITIMER_REAL, &left);
	memset(&value, 0, sizeof(value));
	setitimer(ITIMER_REAL, &value, &value);
	printf("timer: %d %d\n", left.it_value.tv_sec > 400, value.it_value.tv_sec > 400);
}

int main(void)
{
	random_numbers();
	tokens();
	timers();
#pragma omp parallel
	if (is_last())
		on_exit(say_last, "the end");
	return 0;
}
