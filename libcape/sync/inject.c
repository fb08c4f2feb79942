/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * inject.c - merging the checkpoints of all nodes straight into memory.
 *
 * Runs cover whole words, so a run may hold bytes that its node did not change.  Where one node
 * alone wrote, its bytes are taken as they are.  Where runs of several nodes overlap, every byte
 * is compared with the base, which is the twin and the same on all nodes: bytes that equal it
 * were not changed, among the others the latest time-stamp wins, ties by node.
 */
#include "sync/inject.h"

#include <errno.h>
#include <string.h>
#include "checkpoint/wire.h"
#include "memory/cut.h"
#include "message/message.h"
#include "sync/model.h"
#include "races/races.h"
#include "memory/shared.h"
#include "sync/sync_point.h"
#include "memory/mapping.h"

/* One node's runs, being read in the order of addresses. */
struct source {
	struct cape_cursor cursor;
	struct cape_run run; /* what is left of the current one; length 0: no more */
	const unsigned char *data;
	uint64_t passed; /* bytes of the current one that are behind */
	uint64_t time_stamp;
	unsigned node;
	struct cape_cutter cutter; /* leaves out what is the node's own */
};

struct merge {
	struct cape_runtime *runtime;
	struct cape_area *area; /* the last one used */
	bool record;		/* in runtime->sync->merged */
	unsigned count;
	struct source source[];
};

static int source_next(struct source *source)
{
	int got = cape_cutter_next(&source->cutter, &source->cursor, &source->run, &source->data);

	source->passed = 0;
	if (got == 0)
		source->run = (struct cape_run){.address = UINT64_MAX, .length = 0};
	return got < 0 ? got : 0;
}

static int source_open(struct merge *merge, struct source *source,
		       const struct cape_message *message, unsigned node)
{
	int error;

	source->node = node;
	cape_cutter_open(&source->cutter, merge->runtime->cut,
			 node == 0 && message->kind == CAPE_SYNC_END);
	source->time_stamp = message->time_stamp;
	error = cape_cursor_open(&source->cursor, cape_message_get(message, CAPE_SECTION_TABLE),
				 message->size[CAPE_SECTION_TABLE],
				 cape_message_get(message, CAPE_SECTION_DATA),
				 message->size[CAPE_SECTION_DATA]);
	return error ? error : source_next(source);
}

static int source_advance(struct source *source, uint64_t length)
{
	source->run.address += length;
	source->run.length -= length;
	source->data += length;
	source->passed += length;
	return source->run.length ? 0 : source_next(source);
}

static bool later(const struct source *a, const struct source *b)
{
	if (a->time_stamp != b->time_stamp)
		return a->time_stamp > b->time_stamp;
	return a->node > b->node;
}

/* The area of a stretch, made writable; NULL when it is not shared memory. */
static struct cape_area *reach(struct merge *merge, uint64_t address, uint64_t length)
{
	struct cape_area *area = merge->area;

	if (!area || address < area->start || address >= area->end ||
	    length > area->end - address) {
		area = cape_areas_find(merge->runtime->areas, address, length);
		merge->area = area;
	}
	if (area && cape_shared_reach(merge->runtime, area, address, length) < 0)
		return NULL;
	return area;
}

static struct cape_race_side side_of(const struct source *source)
{
	return (struct cape_race_side){source->node, source->run.address - source->passed,
				       source->run.length + source->passed,
				       source->data - source->passed};
}

/* Byte AT of a contested stretch: did anybody else but the one that wins change it? */
static void look_for_race(const struct merge *merge, const struct source *winner, uint64_t address,
			  uint64_t at, unsigned char base)
{
	if (!winner || !(merge->runtime->channel->flags & CAPE_CHANNEL_RACES))
		return;
	for (unsigned n = 0; n < merge->count; n++) {
		const struct source *source = &merge->source[n];

		if (source != winner && source->run.address == address && source->data[at] != base)
			cape_races_report(merge->runtime, address + at, side_of(source),
					  side_of(winner));
	}
}

/* All sources whose run begins at ADDRESS changed some of the LENGTH bytes there. */
static void write_contested(struct merge *merge, const struct cape_area *area, uint64_t address,
			    uint64_t length)
{
	unsigned char *memory = (unsigned char *)(uintptr_t)address;

	for (uint64_t i = 0; i < length; i++) {
		unsigned char base = cape_area_base(area, address + i);
		const struct source *winner = NULL;

		for (unsigned n = 0; n < merge->count; n++) {
			const struct source *source = &merge->source[n];

			if (source->run.address == address && source->data[i] != base &&
			    (!winner || later(source, winner)))
				winner = source;
		}
		look_for_race(merge, winner, address, i, base);
		memory[i] = winner ? winner->data[i] : base;
	}
}

/* Of the runs that begin first: where, how many, and how far nothing else begins or ends. */
struct piece {
	uint64_t address;
	uint64_t end;
	unsigned owners;
	struct source *owner;
};

static struct piece next_piece(struct merge *merge)
{
	struct piece piece = {.address = UINT64_MAX, .end = UINT64_MAX};

	for (unsigned n = 0; n < merge->count; n++) {
		struct source *source = &merge->source[n];
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

static int write_piece(struct merge *merge, const struct piece *piece)
{
	uint64_t length = piece->end - piece->address;
	struct cape_area *area = reach(merge, piece->address, length);
	int error;

	if (!area)
		return -EBADMSG;
	if (merge->record &&
	    cape_runs_add(&merge->runtime->sync->merged, piece->address, length) < 0)
		return -ENOMEM;
	if (piece->owners > 1)
		write_contested(merge, area, piece->address, length);
	else if (piece->owner && piece->owner->node != merge->runtime->node)
		memcpy((void *)(uintptr_t)piece->address, piece->owner->data, length);
	for (unsigned n = 0; n < merge->count; n++) {
		struct source *source = &merge->source[n];

		if (source->run.length && source->run.address == piece->address) {
			error = source_advance(source, length);
			if (error)
				return error;
		}
	}
	return 0;
}

static int open_sources(struct merge *merge)
{
	for (unsigned n = 0; n < merge->count; n++) {
		const struct cape_message *message = cape_message_of(merge->runtime->channel, n);
		int error = message ? source_open(merge, &merge->source[n], message, n) : -EBADMSG;

		if (error)
			return error;
	}
	return 0;
}

/* Only now: until all is merged, the twin is the base that tells changed bytes. */
static int settle(struct merge *merge, bool keep)
{
	for (unsigned n = 0; n < merge->count; n++) {
		struct source *source = &merge->source[n];

		while (source->run.length) {
			struct cape_area *area =
				reach(merge, source->run.address, source->run.length);
			int error;

			if (!area)
				return -EBADMSG;
			cape_area_settled(area, source->run.address, source->run.length, keep);
			error = source_next(source);
			if (error)
				return error;
		}
	}
	return 0;
}

int cape_inject(struct cape_runtime *runtime, bool keep)
{
	struct merge *merge =
		__builtin_alloca(sizeof(*merge) + runtime->nodes * sizeof(merge->source[0]));
	struct piece piece;
	int error;

	merge->runtime = runtime;
	merge->area = NULL;
	merge->count = cape_exchange_senders(runtime);
	merge->record = runtime->node == 0 && cape_model_is_master_slave(runtime);
	cape_runs_clear(&runtime->sync->merged);
	cape_cut_update(runtime);
	cape_mapping_expect(runtime);
	error = open_sources(merge);
	while (!error && (piece = next_piece(merge)).owners)
		error = write_piece(merge, &piece);
	if (!error)
		error = cape_heap_catch_up(runtime->heap);
	if (error || runtime->areas->captured)
		return error;
	error = open_sources(merge);
	return error ? error : settle(merge, keep);
}
