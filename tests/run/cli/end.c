/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * end.c - ends in the manner that its arguments say.
 *
 *	end exit STATUS			sequential code returns STATUS from main
 *	end exit-in-region NODE STATUS	one node calls exit() in a parallel region
 *	end exit-all STATUS		all nodes do, with something to be called first
 *	end divide NODE			one node divides by zero there
 *	end abort NODE			one node aborts there
 *	end abort-all			sequential code aborts
 *	end wait NODE			one node stays in the region, the others wait for it
 *	end wait-all			all nodes stay in it
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static volatile int zero;

static void end_here(const char *manner, int status)
{
	if (strncmp(manner, "exit-", 5) == 0)
		exit(status);
	if (strcmp(manner, "divide") == 0)
		zero = 1000 / zero;
	if (strcmp(manner, "abort") == 0)
		abort();
	for (int i = 0; i < 600; i++)
		usleep(100000);
}

static void last(void)
{
	puts("over");
}

int main(int argc, char **argv)
{
	const char *manner = argc > 1 ? argv[1] : "";
	int number = argc > 2 ? atoi(argv[2]) : -1, status = argc > 3 ? atoi(argv[3]) : 0;
	int nodes = 0;

	if (strcmp(manner, "exit") == 0)
		return number;
	if (strcmp(manner, "abort-all") == 0)
		abort();
	atexit(last);
	puts("begun");
	fflush(stdout);
#pragma omp parallel reduction(+ : nodes)
	{
		nodes = 1;
		if (omp_get_thread_num() == number || strstr(manner, "-all"))
			end_here(manner, strcmp(manner, "exit-all") == 0 ? number : status);
	}
	printf("%d nodes went through the region\n", nodes);
	return 0;
}
