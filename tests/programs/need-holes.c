// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * need-holes.c - many pages that all nodes have, of which every few are written between two
 * barriers, and behind them pages that one node has alone: more written pages than the kernel tells
 * of at a time, in stretches that are looked at together.
 */
#include <omp.h>
#include <stdio.h>

#define ALONE  512
#define COMMON 16384
#define PAGE   512 /* doubles */

static struct {
	double common[COMMON][PAGE], alone[ALONE][PAGE];
} memory __attribute__((aligned(4096)));

static void begin(int me, int team)
{
	for (int page = me * (ALONE / team); page < (me + 1) * (ALONE / team); page++) {
		memory.alone[page][1] = page;
		for (int i = 0; i < PAGE && page % 16; i++)
			memory.alone[page][i] = page + i;
	}
	for (int page = me; page < COMMON; page += team)
		memory.common[page][0] = page;
}

int main(void)
{
	double sum = 0;

#pragma omp parallel
	{
		int me = omp_get_thread_num(), team = omp_get_num_threads();

		begin(me, team);
#pragma omp barrier
		for (int round = 0; round < 10; round++) {
			for (int page = 4 * me; page < COMMON; page += 4 * team)
				memory.common[page][round] += round;
#pragma omp barrier
		}
	}
	for (int page = 0; page < COMMON; page++)
		for (int i = 0; i < 16; i++)
			sum += memory.common[page][i] * (i + 1);
	for (int page = 0; page < ALONE / 8 * 7; page++)
		for (int i = 0; i < PAGE; i++)
			sum += memory.alone[page][i];
	printf("%.0f\n", sum);
	return 0;
}
