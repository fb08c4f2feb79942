/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * need-locked.c - a program that locks all its memory, and parts of it: neither takes more than is
 * touched, and what other nodes have is right behind it.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>

#define SIZE   40000
#define ROUNDS 6

static double still[SIZE];

static void rounds(double *moved, int from)
{
	for (int round = from; round < from + ROUNDS; round++) {
#pragma omp parallel for
		for (int i = 0; i < SIZE; i++)
			moved[i] += i * round;
#pragma omp parallel for
		for (int i = 0; i < SIZE; i++)
			still[i] = moved[SIZE - 1 - i] + still[i] / 2;
		moved[round * 100] += 1;
	}
}

static double sum(const double *of)
{
	double all = 0;

	for (int i = 0; i < SIZE; i++)
		all += of[i] * (i % 7);
	return all;
}

int main(void)
{
	double *moved = calloc(SIZE, sizeof(*moved)), *more;
	struct rusage used;

	rounds(moved, 1);
	/* Without the right to, or beyond a limit, it fails. */
	(void)mlockall(MCL_CURRENT | MCL_FUTURE);
	rounds(moved, 2);
	more = calloc(SIZE, sizeof(*more));
	(void)mlock(more, SIZE * sizeof(*more));
	rounds(more, 3);
	printf("%.1f %.1f %.1f\n", sum(moved), sum(more), sum(still));
	free(moved);
	moved = calloc(SIZE, sizeof(*moved));
	printf("%.1f\n", sum(moved));
	rounds(moved, 4);
	(void)munlockall();
	rounds(moved, 5);
	printf("%.1f %.1f\n", sum(moved), sum(still));
	printf("%d\n", !getrusage(RUSAGE_SELF, &used) && used.ru_maxrss < 500000);
	free(more);
	free(moved);
	return 0;
}
