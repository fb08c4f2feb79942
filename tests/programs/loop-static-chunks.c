/* SPDX-License-Identifier: GPL-2.0-or-later */
/* loop-static-chunks.c - schedule(static, chunk) deals the chunks out in turn, by number. */
#include <omp.h>
#include <stdio.h>

#define TRIPS 41

static int owner[TRIPS];

static void show(const char *what)
{
	printf("%-8s", what);
	for (int i = 0; i < TRIPS; i++) {
		printf(" %d", owner[i]);
		owner[i] = -1;
	}
	putchar('\n');
}

int main(void)
{
	int chunk = 4, next[TRIPS], threads = omp_get_max_threads(), wrong = 0;

#pragma omp parallel for schedule(static, 1)
	for (int i = 0; i < TRIPS; i++)
		owner[i] = omp_get_thread_num();
	show("one");
#pragma omp parallel for schedule(static, 3)
	for (int i = TRIPS - 1; i >= 0; i--)
		owner[i] = omp_get_thread_num();
	show("down");
#pragma omp parallel for schedule(static, chunk * 2)
	for (unsigned long i = 0; i < TRIPS; i += 2)
		owner[i] = omp_get_thread_num();
	show("steps");
#pragma omp parallel for schedule(static, 100)
	for (int i = 0; i < TRIPS; i++)
		owner[i] = omp_get_thread_num();
	show("large");
#pragma omp parallel for schedule(static, chunk) collapse(2)
	for (int i = 0; i < 5; i++)
		for (int j = 0; j < 8; j++)
			owner[i * 8 + j] = omp_get_thread_num();
	show("collapse");
	/* Without a chunk: one block each, in order, sizes that differ by one at most. */
#pragma omp parallel for schedule(static)
	for (int i = 0; i < TRIPS; i++)
		owner[i] = omp_get_thread_num();
	for (int i = 0; i < TRIPS; i++)
		next[i] = 0;
	for (int i = 0; i < TRIPS; i++) {
		wrong += i && owner[i] < owner[i - 1];
		next[owner[i]]++;
	}
	for (int i = 0; i < threads && i < TRIPS; i++)
		wrong += next[i] > (TRIPS + threads - 1) / threads;
	printf("blocks %s\n", wrong ? "wrong" : "right");
	return 0;
}
