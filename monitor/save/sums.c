// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sums.c - checksums of blocks of memory: 128 bits, for nobody looks whether two blocks of one sum
 * are the same.
 */
#include "sums.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>
#include "system/memory.h"

struct sum {
	uint64_t address;
	XXH128_hash_t sum; /* of its bytes, with their number as the seed */
};

int sums_add(struct sums *sums, struct sums *before, uint64_t address, const void *bytes,
	     size_t size, bool *same)
{
	struct sum sum = {address, XXH3_128bits_withSeed(bytes, size, size)};

	while (before->next < before->count && before->sum[before->next].address < address)
		before->next++;
	*same = before->next < before->count && before->sum[before->next].address == address &&
		XXH128_isEqual(before->sum[before->next].sum, sum.sum);
	if (cape_memory_grow(&cape_memory_heap, (void **)&sums->sum, &sums->capacity,
			     sums->count + 1, sizeof(sum)))
		return -ENOMEM;
	sums->sum[sums->count++] = sum;
	return 0;
}

void sums_free(struct sums *sums)
{
	free(sums->sum);
	memset(sums, 0, sizeof(*sums));
}
