/* SPDX-License-Identifier: GPL-2.0-or-later */
/* need-blocks.h - blocks of the heap, of which one thread frees some and another fills the rest. */
#include <stdlib.h>
#include <string.h>

#define BLOCKS 4000
#define SIZE   48
#define FREED  400 /* every so many blocks one is freed */

static unsigned char *block[BLOCKS];

static void fill(int value, size_t size)
{
	for (int i = 0; i < BLOCKS; i++)
		if (i % FREED != 100)
			memset(block[i], value, size);
}

static int count_others(int value)
{
	int count = 0;

	for (int i = 0; i < BLOCKS; i++)
		if (i % FREED != 100)
			count += block[i][3] != value;
	return count;
}

static void release(void)
{
	for (int i = 100; i < BLOCKS; i += FREED) {
		free(block[i]);
		block[i] = NULL;
	}
}
