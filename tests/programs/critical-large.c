/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * critical-large.c - much memory in small and large pieces, down to bytes of one word, some of it
 * published in critical constructs, some left to the barrier behind; several barriers a region.
 */
#include <omp.h>
#include <stdio.h>

#define BLOCK  65536
#define BLOCKS 64
#define ROUNDS 6

static unsigned char table[BLOCKS][BLOCK];
static int entered;

static unsigned char value(int round, int block, int byte)
{
	return (unsigned char)(byte * 31 + (byte >> 12) + block * 7 + round * 17 + 1);
}

static int is_written(int round, int block)
{
	return (block + round) % 3 == 0;
}

/* Every byte of one half goes to another thread, of the other half every stretch. */
static void write_block(int round, int block, int me, int threads)
{
	int half = BLOCK / 2, first = half * me / threads, end = half * (me + 1) / threads;

	for (int byte = me; byte < half; byte += threads)
		table[block][byte] = value(round, block, byte);
	for (int byte = half + first; byte < half + end; byte++)
		table[block][byte] = value(round, block, byte);
}

static void write_blocks(int round, int first, int end, int me, int threads)
{
	for (int block = first; block < end; block++)
		if (is_written(round, block))
			write_block(round, block, me, threads);
}

static int count_wrong(int round)
{
	int wrong = 0;

	for (int block = 0; block < BLOCKS; block++) {
		int last = round;

		while (last >= 0 && !is_written(last, block))
			last--;
		for (int byte = 0; byte < BLOCK; byte++)
			wrong += table[block][byte] != (last < 0 ? 0 : value(last, block, byte));
	}
	return wrong;
}

int main(void)
{
	int wrong = 0, missed = 0;

#pragma omp parallel reduction(+ : wrong, missed)
	{
		int me = omp_get_thread_num(), threads = omp_get_num_threads();

		for (int round = 0; round < ROUNDS; round++) {
			write_blocks(round, 0, BLOCKS / 4, me, threads);
#pragma omp critical
			{
				write_blocks(round, BLOCKS / 4, BLOCKS / 2, me, threads);
				entered++;
			}
			write_blocks(round, BLOCKS / 2, BLOCKS - 4, me, threads);
#pragma omp critical
			entered++;
			write_blocks(round, BLOCKS - 4, BLOCKS, me, threads);
#pragma omp barrier
			wrong += count_wrong(round);
			missed += entered != 2 * threads * (round + 1);
#pragma omp barrier
		}
	}
	printf("%d wrong, %d missed\n", wrong, missed);
	return 0;
}
