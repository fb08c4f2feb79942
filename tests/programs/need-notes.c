// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * need-notes.c - memory is mapped in a region between blocks that fill pages: what tells the other
 * nodes of it lies in pages of which one node changes much.
 */
#define _GNU_SOURCE
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define BLOCKS 3000
#define SIZE   8192

struct block {
	struct block *next;
	int value[10];
};

static struct block *head[64];
static char *mapped[64];

static void fill(int self, int round)
{
	for (int i = 0; i < BLOCKS; i++) {
		struct block *block = malloc(sizeof(*block));

		for (int k = 0; k < 10; k++)
			block->value[k] = self + i + k + round;
		block->next = head[self];
		head[self] = block;
		if (i % 500 != 7)
			continue;
		mapped[self] = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
				    -1, 0);
		memset(mapped[self], self + 1, SIZE);
	}
}

static void free_some(struct block **at, int every)
{
	while (*at) {
		struct block *block = *at;

		if (block->value[0] % every) {
			at = &block->next;
		} else {
			*at = block->next;
			free(block);
		}
	}
}

static long sum_of(int which)
{
	long sum = mapped[which][SIZE / 2];

	for (const struct block *block = head[which]; block; block = block->next)
		sum += block->value[3];
	return sum;
}

int main(void)
{
	for (int round = 0; round < 4; round++) {
		long sum = 0;

#pragma omp parallel reduction(+ : sum)
		{
			int self = omp_get_thread_num();
			int other = (self + 1) % omp_get_num_threads();

			fill(self, round);
#pragma omp barrier
			sum = sum_of(other);
#pragma omp barrier
			free_some(&head[other], 3);
		}
		printf("%ld\n", sum);
		for (int i = 0; i < omp_get_max_threads(); i++)
			free_some(&head[i], 2);
	}
}
