// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * merge.c - merging checkpoints in one pass over all of them, in the order of addresses.
 *
 * Where one node alone wrote, its bytes are taken as they are: those that it did not change are
 * the base.  Where runs of several nodes overlap, every byte is compared with the base.
 */
#include "checkpoint/merge.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

/* One that has a piece, and its bytes there. */
struct owner {
	const struct cape_source *source;
	const unsigned char *data;
};

struct merge {
	struct cape_source *source;
	unsigned count;
	const struct cape_merge_memory *memory;
	struct owner *owner; /* of a piece: room for all */
};

/* Of the runs that begin first: where, how many, and how far nothing else begins or ends. */
struct piece {
	uint64_t address;
	uint64_t end;
	unsigned owners;
	const struct cape_source *owner;
};

static struct piece next_piece(const struct merge *merge)
{
	struct piece piece = {.address = UINT64_MAX, .end = UINT64_MAX};

	for (unsigned n = 0; n < merge->count; n++) {
		const struct cape_source *source = &merge->source[n];
		uint64_t start = source->run.address, end = start + source->run.length;

		if (!source->run.length)
			continue;
		if (start < piece.address) {
			if (piece.address < end)
				end = piece.address;
			piece = (struct piece){start, end, 1, source};
		} else if (start == piece.address) {
			piece.owners++;
			if (end < piece.end)
				piece.end = end;
		} else if (start < piece.end) {
			piece.end = start;
		}
	}
	return piece;
}

/* The sources that have the piece at ADDRESS, the latest first; returns how many. */
static unsigned find_owners(const struct merge *merge, uint64_t address)
{
	unsigned owners = 0;

	for (unsigned n = 0; n < merge->count; n++) {
		const struct cape_source *source = &merge->source[n];
		unsigned to = owners;

		if (!source->run.length || source->run.address != address)
			continue;
		for (; to &&
		       cape_stamp_compare(merge->owner[to - 1].source->stamp, source->stamp) < 0;
		     to--)
			merge->owner[to] = merge->owner[to - 1];
		merge->owner[to] = (struct owner){source, source->data};
		owners++;
	}
	return owners;
}

/* Of byte AT of the piece at ADDRESS the element of owner WINNER stays; the earliest first. */
static void tell_replaced(const struct merge *merge, unsigned owners, unsigned winner,
			  uint64_t address, uint64_t at, unsigned char base)
{
	for (unsigned n = owners - 1; n > winner; n--)
		if (merge->owner[n].data[at] != base)
			merge->memory->replaced(merge->memory->context, address + at,
						merge->owner[n].source,
						merge->owner[winner].source);
}

static unsigned char merge_byte(const struct merge *merge, unsigned owners, uint64_t address,
				uint64_t at, unsigned char base)
{
	for (unsigned n = 0; n < owners; n++) {
		if (merge->owner[n].data[at] == base)
			continue;
		if (merge->memory->replaced)
			tell_replaced(merge, owners, n, address, at, base);
		return merge->owner[n].data[at];
	}
	return base;
}

static void write_contested(const struct merge *merge, uint64_t address, unsigned char *to,
			    uint64_t length)
{
	unsigned owners = find_owners(merge, address);
	uint64_t end = address + length, at = address, known;

	for (; at < end; at = known) {
		const unsigned char *base =
			merge->memory->base(merge->memory->context, at, end, &known);

		for (uint64_t i = at; i < known; i++)
			to[i - address] = merge_byte(merge, owners, address, i - address,
						     base ? base[i - at] : 0);
	}
}

static int write_piece(const struct merge *merge, const struct piece *piece)
{
	const struct cape_merge_memory *memory = merge->memory;
	uint64_t length = piece->end - piece->address;
	unsigned char *to = memory->reach(memory->context, piece->address, &length);
	int error;

	if (!to)
		return -EBADMSG;
	if (memory->written && cape_runs_add(memory->written, piece->address, length) < 0)
		return -ENOMEM;
	if (piece->owners > 1)
		write_contested(merge, piece->address, to, length);
	else if (piece->owner && piece->owner->stamp.node != memory->own)
		memcpy(to, piece->owner->data, length);
	for (unsigned n = 0; n < merge->count; n++) {
		struct cape_source *source = &merge->source[n];

		if (!source->run.length || source->run.address != piece->address)
			continue;
		error = cape_source_advance(source, length);
		if (error)
			return error;
	}
	return 0;
}

int cape_merge(struct cape_source *source, unsigned count, const struct cape_merge_memory *memory)
{
	const struct merge merge = {source, count, memory,
				    __builtin_alloca(count * sizeof(*merge.owner))};
	struct piece piece;
	int error = 0;

	while (!error && (piece = next_piece(&merge)).owners)
		error = write_piece(&merge, &piece);
	return error;
}
