/* SPDX-License-Identifier: GPL-2.0-or-later */
/* one-truth.c - clock, process number, random bytes: sequential code sees the same on all nodes. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static unsigned long facts[8];
static int agree[8];

int main(void)
{
	struct timespec now;
	struct timeval day;
	int wrong = 0;

	facts[0] = (unsigned long)time(NULL);
	clock_gettime(CLOCK_REALTIME, &now);
	facts[1] = (unsigned long)now.tv_nsec;
	clock_gettime(CLOCK_MONOTONIC, &now);
	facts[2] = (unsigned long)now.tv_nsec;
	gettimeofday(&day, NULL);
	facts[3] = (unsigned long)day.tv_usec;
	facts[4] = (unsigned long)getpid();
	if (getrandom(&facts[5], sizeof(facts[5]), 0) != (ssize_t)sizeof(facts[5]))
		return 1;
	facts[6] = (unsigned long)clock();
	srandom((unsigned int)facts[0] ^ (unsigned int)facts[4]);
	facts[7] = (unsigned long)random();
#pragma omp parallel reduction(+ : wrong)
	{
		unsigned long mine[8];

		memcpy(mine, facts, sizeof(mine));
#pragma omp barrier
		/* Each thread's own copy against what is published by another. */
#pragma omp for schedule(static, 1)
		for (int i = 0; i < 8; i++) {
			agree[i] = mine[i] == facts[i];
			facts[i] = mine[i] + 1;
		}
		for (int i = 0; i < 8; i++)
			wrong += facts[i] != mine[i] + 1 || !agree[i];
	}
	/* A decision that depends on it. */
	for (unsigned long i = 0; i < facts[5] % 5; i++) {
#pragma omp parallel for
		for (int j = 0; j < 8; j++)
			agree[j] += (int)(facts[7] >> j & 1);
	}
	printf("%d wrong\n", wrong);
	return 0;
}
