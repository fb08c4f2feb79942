/* SPDX-License-Identifier: GPL-2.0-or-later */
/* heap-churn.c - blocks of all sizes come and go in sequential and in parallel code by turns. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SLOTS 120

static unsigned char *slots[SLOTS];
static size_t sizes[SLOTS];

static size_t size_of(int slot, int round)
{
	return (size_t)(slot * 131 + round * 977) % 5000 + (slot % 40 == 7 ? 300000 : 1);
}

static void refill(int slot, int round)
{
	free(slots[slot]);
	sizes[slot] = size_of(slot, round);
	slots[slot] = malloc(sizes[slot]);
	memset(slots[slot], slot + round, sizes[slot]);
}

static unsigned long checksum(void)
{
	unsigned long sum = 0;

	for (int i = 0; i < SLOTS; i++)
		for (size_t j = 0; j < sizes[i]; j += 61)
			sum = sum * 33 + slots[i][j] + j;
	return sum;
}

int main(void)
{
	for (int round = 0; round < 6; round++) {
		for (int i = round % 3; i < SLOTS; i += 3)
			refill(i, round);
#pragma omp parallel
		{
#pragma omp for nowait
			for (int i = 0; i < SLOTS / 2; i++)
				refill(i * 2, round * 2);
#pragma omp for
			for (int i = 0; i < SLOTS / 2; i++)
				refill(i * 2 + 1, round * 3);
#pragma omp for schedule(static, 7)
			for (int i = 0; i < SLOTS; i++)
				if (i % 5 == round % 5)
					slots[i][sizes[i] / 2] ^= 0xff;
		}
		printf("%016lx\n", checksum());
	}
	for (int i = 0; i < SLOTS; i++)
		free(slots[i]);
	return 0;
}
