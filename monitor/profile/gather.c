// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * gather.c - in rounds, so that node 0 needs room for a piece of each node only.
 */
#include "gather.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "wire/collective.h"

#define PIECE_SIZE 65536ul

/* How many of COUNT items come after the first FIRST, MOST at most. */
static uint64_t items_of(uint64_t count, uint64_t first, uint64_t most)
{
	uint64_t left = count > first ? count - first : 0;

	return left < most ? left : most;
}

int gather(struct wire *wire, const void *own, size_t size, const uint64_t *count, gather_take take,
	   void *context)
{
	uint64_t most = 0, each = PIECE_SIZE / size;
	char *piece = malloc(each * size), *all = NULL;
	int error = 0, taken = 0;

	if (wire->rank == 0)
		all = malloc((size_t)wire->size * each * size);
	if (!piece || (wire->rank == 0 && !all)) {
		error = -ENOMEM;
		goto out;
	}
	for (int i = 0; i < wire->size; i++)
		most = count[i] > most ? count[i] : most;
	memset(piece, 0, each * size);
	for (uint64_t first = 0; first < most && !error; first += each) {
		memcpy(piece, (const char *)own + first * size,
		       items_of(count[wire->rank], first, each) * size);
		error = collective_gather(wire, piece, each * size, all);
		for (int i = 0; all && !error && i < wire->size; i++)
			for (uint64_t j = 0; !taken && j < items_of(count[i], first, each); j++)
				taken = take(context, i, first + j,
					     all + ((uint64_t)i * each + j) * size);
	}
out:
	free(piece);
	free(all);
	return error ? error : taken;
}
