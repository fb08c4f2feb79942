/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * planned-first.c - the first region whose known loops can be planned comes after one that cannot,
 * and something unknown runs in it before them.
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

enum { COUNT = 5000 };

static long known[80], touched;

static void touch(void)
{
	touched++;
}

/* Nobody knows what it calls. */
static void (*volatile call)(void) = touch;

int main(void)
{
	short *dynamic = calloc(COUNT, sizeof(*dynamic));
	char *filled = malloc(COUNT);

	for (int i = 0; i < COUNT; i++)
		filled[i] = '1';
#pragma omp parallel for schedule(dynamic)
	for (int i = 0; i < COUNT; i++)
		dynamic[i] = (short)(i % 100);
#pragma omp parallel
	{
#pragma omp barrier
		if (omp_get_thread_num() == omp_get_num_threads() - 1) {
			call();
			filled[1398] = 12;
		}
#pragma omp barrier
#pragma omp for
		for (int i = 0; i < 80; i++)
			known[i] = i;
	}
	printf("%d %d %ld %ld\n", dynamic[5], filled[1398], touched, known[79]);
	free(dynamic);
	free(filled);
	return 0;
}
