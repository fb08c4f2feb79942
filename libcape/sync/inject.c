/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * inject.c - merging the messages of all nodes into this node's memory, whose base is the twin.
 */
#include "sync/inject.h"

#include <errno.h>
#include "base/model.h"
#include "checkpoint/exact.h"
#include "checkpoint/merge.h"
#include "memory/cut.h"
#include "message/message.h"
#include "sync/log.h"
#include "races/races.h"
#include "memory/shared.h"
#include "sync/sync_point.h"
#include "memory/mapping.h"
#include "base/way.h"
#include "memory/directory.h"

/* Of a node: its message, and what it pushed with the exchange and after it. */
#define SOURCES 3

struct target {
	struct cape_runtime *runtime;
	struct cape_area *area; /* the last one used */
};

static unsigned char *reach(void *context, uint64_t address, uint64_t *length)
{
	struct target *target = context;
	struct cape_area *area = target->area;

	if (!area || address < area->start || address >= area->end)
		area = cape_areas_find(target->runtime->areas, address, 1);
	target->area = area;
	if (!area)
		return NULL;
	if (*length > area->end - address)
		*length = area->end - address;
	if (cape_shared_reach(target->runtime, area, address, *length) < 0 ||
	    (target->runtime->directory->count &&
	     cape_directory_next(area, (struct cape_range){address, address + *length},
				 CAPE_PAGES_ABSENT)
			     .start != UINT64_MAX))
		return NULL;
	return (unsigned char *)(uintptr_t)address;
}

static const unsigned char *base(void *context, uint64_t address, uint64_t end, uint64_t *known)
{
	const struct target *target = context;

	return cape_area_base_at(target->area, address, end, known);
}

static struct cape_race_side side_of(const struct cape_source *source)
{
	return (struct cape_race_side){source->stamp.node, source->run.address - source->passed,
				       source->run.length + source->passed,
				       source->data - source->passed};
}

/* Two nodes changed one byte. */
static void report(void *context, uint64_t address, const struct cape_source *element,
		   const struct cape_source *by)
{
	const struct target *target = context;

	cape_races_report(target->runtime, address, side_of(element), side_of(by));
}

static int open_source(const struct cape_runtime *runtime, struct cape_source *source,
		       const struct cape_message *message, unsigned node)
{
	int error;

	if (!message)
		return -EBADMSG;
	*source = (struct cape_source){
		.stamp = {message->time_stamp, node},
		.within = cape_cut_of(runtime->cut, node == 0 && message->kind == CAPE_SYNC_END),
	};
	error = cape_cursor_open(&source->cursor, cape_message_get(message, CAPE_SECTION_TABLE),
				 message->size[CAPE_SECTION_TABLE],
				 cape_message_get(message, CAPE_SECTION_DATA),
				 message->size[CAPE_SECTION_DATA]);
	return error ? error : cape_source_next(source);
}

/* What NODE pushed to this one, with the exchange or after it, or nothing. */
static int open_pushed(struct cape_runtime *runtime, struct cape_source *source, unsigned node,
		       bool early)
{
	*source = (struct cape_source){
		.stamp = {cape_message_of(runtime->channel, node)->time_stamp, node}};
	return runtime->way->open_part(runtime, node, early, &source->cursor)
		       ? cape_source_next(source)
		       : 0;
}

/* Room in SOURCE for SOURCES of each of COUNT nodes. */
static int open_sources(struct cape_runtime *runtime, struct cape_source *source, unsigned count)
{
	int error = 0;

	for (unsigned n = 0; n < count && !error; n++)
		error = open_source(runtime, &source[n], cape_message_of(runtime->channel, n), n);
	for (unsigned n = 0; n < count && !error; n++)
		error = open_pushed(runtime, &source[count + n], n, true);
	for (unsigned n = 0; n < count && !error; n++)
		error = open_pushed(runtime, &source[2 * count + n], n, false);
	return error;
}

static int merge(struct target *target, struct cape_source *source, unsigned count)
{
	struct cape_runtime *runtime = target->runtime;
	struct cape_merge_memory memory = {target, reach, base, .own = runtime->node};

	if (runtime->channel->flags & CAPE_CHANNEL_RACES)
		memory.replaced = report;
	cape_runs_clear(&runtime->sync->merged);
	if (runtime->node == 0 && runtime->model->by_master)
		memory.written = &runtime->sync->merged;
	return cape_merge(source, count, &memory);
}

/* Only now: until all is merged, the twin is the base that tells changed bytes. */
static int settle(struct target *target, struct cape_source *source, unsigned count, bool keep)
{
	for (unsigned n = 0; n < count; n++)
		while (source[n].run.length) {
			uint64_t length = source[n].run.length, address = source[n].run.address;
			int error;

			if (!reach(target, address, &length))
				return -EBADMSG;
			cape_area_settled(target->area, address, length, keep);
			error = cape_source_advance(&source[n], length);
			if (error)
				return error;
		}
	return 0;
}

int cape_inject(struct cape_runtime *runtime, bool keep)
{
	unsigned count = cape_exchange_senders(runtime), all = SOURCES * count;
	struct cape_source *source = __builtin_alloca(all * sizeof(*source));
	struct target target = {.runtime = runtime};
	int error;

	cape_cut_update(runtime);
	cape_mapping_expect(runtime);
	error = open_sources(runtime, source, count);
	if (!error)
		error = merge(&target, source, all);
	if (!error)
		error = cape_heap_catch_up(runtime->heap);
	if (error || !runtime->areas->base->settle)
		return error;
	error = open_sources(runtime, source, count);
	return error ? error : settle(&target, source, all, keep);
}

/* Every two nodes' changes since the last entries of the log, which nothing orders. */
static void look_for_races(struct cape_runtime *runtime, const struct cape_exact_source *source,
			   unsigned count)
{
	/* --check-races has compared all accesses before the sync point. */
	if (!(runtime->channel->flags & CAPE_CHANNEL_RACES))
		return;
	for (unsigned a = 0; a < count; a++)
		for (unsigned b = a + 1; b < count; b++)
			cape_races_between(runtime, source[a].bytes, source[a].size, a,
					   source[b].bytes, source[b].size, b);
}

void cape_inject_exact(struct cape_runtime *runtime)
{
	struct cape_exact_memory memory = cape_log_memory(runtime);
	unsigned count = cape_exchange_senders(runtime);
	struct cape_exact_source *source = __builtin_alloca(count * sizeof(*source));
	uint32_t node;

	for (unsigned n = 0; n < count; n++) {
		const struct cape_message *message = cape_exchange_message(runtime, n);

		source[n] = (struct cape_exact_source){
			{message->time_stamp, n},
			cape_message_get(message, CAPE_SECTION_EXACT),
			message->size[CAPE_SECTION_EXACT],
		};
	}
	look_for_races(runtime, source, count);
	if (cape_exact_merge(source, count, &memory, &node) < 0)
		cape_log_fail(runtime, node);
	if (cape_heap_catch_up(runtime->heap) < 0)
		cape_fail(runtime, 0, "out of memory for the heaps of other nodes");
	runtime->log->moved = false;
}
