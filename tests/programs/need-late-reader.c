/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * need-late-reader.c - a page that its owner holds with another node is fetched by a third one
 * while the owner, which has changed it, waits at a barrier, and locks are used meanwhile: what the
 * owner changed it has told, and does not tell again when another node has changed it since.
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define SIZE (64 * 4096)
#define READ (8 * 4096 + 100)
#define DONE (8 * 4096 + 200)

static int count;

static int is_mine(int role)
{
	return omp_get_thread_num() == role % omp_get_num_threads();
}

static void note(void)
{
	if (omp_get_thread_num() > 0) {
#pragma omp critical
		count += omp_get_thread_num() < 3;
	}
}

/* Up to the late reader's look. */
static int begin(unsigned char *p, int round)
{
	int seen = 0;

	if (is_mine(0))
		for (int i = 0; i < SIZE; i++)
			p[i] = (unsigned char)(round + 3);
#pragma omp barrier
	if (is_mine(1))
		seen += p[READ];
#pragma omp barrier
	if (is_mine(0))
		p[DONE] = 1;
	note();
	if (is_mine(2)) {
		usleep(100000);
		seen += p[READ];
	}
	return seen;
}

int main(void)
{
	unsigned char *p = malloc(SIZE);
	int seen = 0;

	for (int round = 0; round < 3; round++) {
#pragma omp parallel reduction(+ : seen)
		{
			seen += begin(p, round);
#pragma omp barrier
			if (is_mine(1))
				p[DONE] = 9;
			note();
		}
		printf("%d: %d %d\n", round, p[DONE], seen);
	}
	for (int round = 3; round < 6; round++) {
#pragma omp parallel reduction(+ : seen)
		seen += begin(p, round);
		seen += p[READ + 1];
#pragma omp parallel
		if (is_mine(1))
			p[DONE] = 9;
		printf("%d: %d %d\n", round, p[DONE], seen);
	}
	printf("%d\n", count > 0 || omp_get_max_threads() == 1);
	free(p);
	return 0;
}
