/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * spawn.c - a thread of the program's own starts processes, one after another, while regions lock
 * memory and unlock it.
 *
 * Usage: spawn [REGIONS]
 */
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define N (64 * 1024)
#include "regions.h"

#define REGIONS 60

extern char **environ;

static volatile int stop;

static void *start(void *argument)
{
	char *arguments[] = {"true", NULL};
	size_t bad = 0;

	while (!stop) {
		pid_t child;
		int status;

		bad += posix_spawn(&child, "/bin/true", NULL, NULL, arguments, environ) != 0 ||
		       waitpid(child, &status, 0) != child || status != 0;
	}
	(void)argument;
	return (void *)bad;
}

int main(int argc, char **argv)
{
	int regions = argc > 1 ? atoi(argv[1]) : REGIONS, wrong = 0;
	pthread_t starter;
	void *bad;

	pthread_create(&starter, NULL, start, NULL);
	for (int region = 0; region < regions; region++)
		wrong += run_region(region);
	stop = 1;
	pthread_join(starter, &bad);
	puts(wrong || bad ? "wrong" : "all right");
	return wrong || bad;
}
