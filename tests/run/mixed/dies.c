/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dies.c - the last thread of the team, or all, end the program in the way that is asked for. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int *volatile nowhere;

/* Frames are larger than a page: what lies below the stack must be, too. */
static int go_deep(int depth)
{
	volatile char frame[10000];

	frame[depth % 100] = (char)depth;
	return depth > 100000000 ? 0 : go_deep(depth + 1) + frame[5];
}

static void die(const char *how)
{
	if (strcmp(how, "deep") == 0)
		exit(go_deep(0));
	if (strcmp(how, "segv") == 0)
		*nowhere = 1;
	exit(7);
}

static void say(void)
{
	fprintf(stderr, "the end\n");
}

int main(int count, char **words)
{
	if (count < 2)
		return 2;
	atexit(say);
#pragma omp parallel
	{
		if (omp_get_thread_num() == omp_get_num_threads() - 1 ||
		    strcmp(words[1], "all") == 0)
			die(words[1]);
#pragma omp barrier
	}
	return 0;
}
