/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * need-notes-joint.c - a note of what one thread mapped lies in a page that another fills, at the
 * same sync point or one later; a third, which follows the note, reads the page later.
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "need-blocks.h"

static unsigned char *mapped;

static void allocate(void)
{
#pragma omp parallel
	if (omp_get_thread_num() == 0)
		for (int i = 0; i < BLOCKS; i++)
			block[i] = malloc(SIZE);
	for (int i = 0; i < BLOCKS; i++)
		memset(block[i], 1, SIZE);
}

static void map(void)
{
	release();
	mapped = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	mapped[0] = 7;
}

static int one_round(int later)
{
	int wrong = 0;

	allocate();
#pragma omp parallel
	{
		if (omp_get_thread_num() == 0)
			map();
		if (later) {
#pragma omp barrier
		}
		if (omp_get_thread_num() == 1)
			fill(2, SIZE);
	}
#pragma omp parallel reduction(+ : wrong)
	for (int turn = 0; turn < 4; turn++) {
		if (omp_get_thread_num() == later)
			fill(3 + turn, SIZE / 2);
#pragma omp barrier
		if (omp_get_thread_num() == 2)
			wrong += count_others(3 + turn);
#pragma omp barrier
	}
	for (int i = 0; i < BLOCKS; i++)
		free(block[i]);
	return wrong + (mapped[0] != 7);
}

int main(void)
{
	for (int later = 0; later < 2; later++) {
		int wrong = 0;

		for (int round = 0; round < 6; round++)
			wrong += one_round(later);
		printf("%d wrong\n", wrong);
	}
	return 0;
}
