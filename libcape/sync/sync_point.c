/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * sync_point.c - the sync point: generate this node's checkpoint, exchange, merge and inject.
 */
#include "sync/sync_point.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "base/method.h"
#include "base/model.h"
#include "base/own_objects.h"
#include "base/way.h"
#include "channel/capture.h"
#include "checkpoint/wire.h"
#include "races/check.h"
#include "sync/inject.h"
#include "replica/input.h"
#include "replica/streams.h"
#include "memory/paper_size.h"
#include "races/races.h"
#include "sync/reduction_list.h"
#include "memory/shared.h"
#include "memory/threadprivate.h"
#include "sync/verify.h"
#include "base/context.h"
#include "memory/calls.h"
#include "memory/mapping.h"
#include "memory/track.h"
#include "profile/profile.h"
#include "replica/region_files.h"
#include "sync/due.h"
#include "sync/elements.h"
#include "sync/kept.h"
#include "sync/flush.h"
#include "sync/hand_on.h"
#include "sync/log.h"

#define COPYPRIVATE_TARGETS_SIZE (1ul << 24)

static void start(struct cape_runtime *runtime)
{
	struct cape_sync *sync = runtime->sync;

	sync->reduction = cape_must_reserve(runtime, CAPE_REDUCTION_LIST_LIMIT);
	sync->postponed = cape_must_reserve(runtime, CAPE_REDUCTION_LIST_LIMIT);
	sync->copyprivate = cape_must_reserve(runtime, CAPE_REDUCTION_LIST_LIMIT);
	sync->copyprivate_target = cape_must_reserve(runtime, COPYPRIVATE_TARGETS_SIZE);
}

CAPE_PART_OF_NODES(sync, start);

/*
 * An arena that shrinks, as only sequential code makes it, has zeros after its top; its twin
 * must not remember what was there.  FORGET: else only note how far the arenas reach.
 */
static void watch_arenas(struct cape_runtime *runtime, struct cape_area *area, bool forget)
{
	struct cape_heap_range range[1 + CAPE_HEAP_MAX_NODES];
	size_t count = cape_heap_ranges(runtime->heap, range, 1 + CAPE_HEAP_MAX_NODES);

	for (size_t i = 0; i < count; i++) {
		uint64_t top = range[i].address + range[i].length;

		if (forget && runtime->sync->heap_top[i] > top)
			cape_area_forget(area,
					 (struct cape_range){top, runtime->sync->heap_top[i]});
		runtime->sync->heap_top[i] = cape_page_ceiling(top);
	}
}

static void watch_heap(struct cape_runtime *runtime, bool forget)
{
	for (size_t i = 0; i < runtime->areas->count; i++)
		if (runtime->areas->area[i].kind == CAPE_AREA_HEAP)
			watch_arenas(runtime, &runtime->areas->area[i], forget);
}

void cape_sync_fold(struct cape_runtime *runtime)
{
	uint64_t started = cape_now();

	watch_heap(runtime, true);
	if (!runtime->way->fold || !runtime->way->fold(runtime))
		runtime->method->enter(runtime);
	runtime->channel->statistics.diff_time += cape_now() - started;
}

/* This node's checkpoint: the runs that changed since the last sync point. */
static void generate(struct cape_runtime *runtime, enum cape_sync_kind kind,
		     const struct cape_place *place)
{
	bool end = kind == CAPE_SYNC_END;
	int error = 0;

	cape_runs_clear(&runtime->sync->runs);
	/* Changes shared memory, and so comes before the memory is saved. */
	if (runtime->thread < runtime->team)
		cape_input_note(runtime, end);
	if (runtime->method->save)
		runtime->method->save(runtime);
	runtime->way->look(runtime, NULL);
	if (runtime->thread < runtime->team)
		error = runtime->method->generate(runtime, end && runtime->node == 0,
						  &runtime->sync->runs);
	if (error < 0)
		cape_fail_for_changes(runtime, runtime->sync->runs.count, error);
	runtime->way->list(runtime, &runtime->sync->runs, place);
	if (runtime->log->moved)
		runtime->way->list_all(runtime, &runtime->sync->runs, runtime->log->is_alone);
	runtime->log->is_alone = NULL;
}

void cape_sync_put_runs(struct cape_runtime *runtime, struct cape_message_writer *writer,
			const struct cape_runs *runs)
{
	unsigned char *table = writer->start + writer->used, *data;

	cape_exchange_section(runtime, writer, CAPE_SECTION_TABLE, cape_wire_bound(runs));
	writer->used = (uint64_t)(table - writer->start);
	cape_exchange_section(runtime, writer, CAPE_SECTION_TABLE, cape_wire_put(runs, table));
	data = cape_exchange_section(runtime, writer, CAPE_SECTION_DATA, runs->bytes);
	for (size_t i = 0; i < runs->count; i++) {
		memcpy(data, (const void *)(uintptr_t)runs->run[i].address, runs->run[i].length);
		data += runs->run[i].length;
	}
}

/* The changes of a node whose twin is not everybody's. */
static void put_exact(struct cape_runtime *runtime, struct cape_message_writer *writer)
{
	unsigned char *at = writer->start + writer->used;

	cape_exchange_section(runtime, writer, CAPE_SECTION_EXACT, cape_log_encode_bound(runtime));
	writer->used = (uint64_t)(at - writer->start);
	cape_exchange_section(runtime, writer, CAPE_SECTION_EXACT, cape_log_encode(runtime, at));
}

void cape_sync_put_files(struct cape_runtime *runtime, struct cape_message_writer *writer)
{
	uint64_t size;

	if (cape_is_concurrent(runtime))
		cape_region_files_note_own(runtime);
	size = cape_region_files_size(runtime);
	if (size)
		cape_region_files_put(
			runtime, cape_exchange_section(runtime, writer, CAPE_SECTION_FILES, size));
}

/* They travel, and are not injected (thesis 2.4.3.1). */
static void put_registers(struct cape_runtime *runtime, struct cape_message_writer *writer)
{
	cape_exchange_put(runtime, writer, CAPE_SECTION_REGISTERS,
			  (char *)runtime->channel + CAPE_CHANNEL_REGISTERS,
			  runtime->channel->capture.registers_size);
}

static void take_files(struct cape_runtime *runtime)
{
	for (unsigned node = 0; node < cape_exchange_senders(runtime); node++) {
		const struct cape_message *message = cape_exchange_message(runtime, node);

		cape_region_files_take(runtime, cape_message_get(message, CAPE_SECTION_FILES),
				       message->size[CAPE_SECTION_FILES], node);
	}
}

/* With one node there is nobody to send to, and no copy is made. */
static void put_message(struct cape_runtime *runtime, struct cape_message_writer *writer,
			enum cape_sync_kind kind, const struct cape_place *place, bool exact)
{
	struct cape_message *header;

	if (runtime->thread >= runtime->team)
		kind = CAPE_SYNC_OUTSIDE;
	cape_message_begin(writer, runtime->channel, kind);
	header = cape_message_header(writer);
	header->sequence = runtime->exchange->sequence++;
	header->time_stamp = runtime->sync->time_stamp;
	header->published = runtime->log->published;
	header->exact = exact;
	header->save = header->fit = 0;
	if (runtime->channel->flags & CAPE_CHANNEL_SAVE)
		cape_due_put(runtime, header, kind);
	header->took = cape_profile_took(runtime);
	cape_exchange_put_place(header, place);
	if (exact)
		put_exact(runtime, writer);
	else if (runtime->nodes > 1)
		cape_sync_put_runs(runtime, writer, &runtime->sync->runs);
	if (!exact)
		runtime->way->put_changes(runtime, writer);
	if (runtime->channel->flags & CAPE_CHANNEL_KEEP && !exact)
		cape_kept_put(runtime, writer);
	cape_exchange_put(runtime, writer, CAPE_SECTION_REDUCTION, runtime->sync->reduction,
			  runtime->sync->reduction_size);
	cape_exchange_put(runtime, writer, CAPE_SECTION_COPYPRIVATE, runtime->sync->copyprivate,
			  runtime->sync->copyprivate_size);
	if (kind == CAPE_SYNC_END && runtime->nodes > 1)
		cape_sync_put_files(runtime, writer);
	put_registers(runtime, writer);
	runtime->way->put(runtime, writer);
	cape_message_end(writer);
	runtime->way->send_parts(runtime);
}

static void take_copyprivate(struct cape_runtime *runtime)
{
	for (unsigned node = 0;
	     node < cape_exchange_senders(runtime) && runtime->sync->copyprivate_count; node++) {
		const struct cape_message *message = cape_exchange_message(runtime, node);
		const unsigned char *from = cape_message_get(message, CAPE_SECTION_COPYPRIVATE);
		uint64_t left = message->size[CAPE_SECTION_COPYPRIVATE];

		if (!left || node == runtime->node)
			continue;
		for (size_t i = 0; i < runtime->sync->copyprivate_count; i++) {
			uint64_t size = runtime->sync->copyprivate_target[2 * i + 1];

			if (size > left)
				cape_fail(runtime, 0, "node %u sent too few copyprivate values",
					  node);
			memcpy((void *)(uintptr_t)runtime->sync->copyprivate_target[2 * i], from,
			       size);
			from += size;
			left -= size;
		}
	}
	runtime->sync->copyprivate_count = 0;
	runtime->sync->copyprivate_size = 0;
}

static void settle_own(struct cape_runtime *runtime, bool keep)
{
	for (size_t i = 0; i < runtime->sync->runs.count; i++) {
		const struct cape_run *run = &runtime->sync->runs.run[i];
		struct cape_area *area = cape_areas_find(runtime->areas, run->address, run->length);

		if (area)
			cape_area_settled(area, run->address, run->length, keep);
	}
}

/* What the messages tell of the log. */
struct log_use {
	uint64_t total; /* entries it holds at this sync point */
	bool moved;	/* a node published or took since the last one */
	bool plain;	/* a node knows nothing of that, and sent runs that are not exact */
};

static struct log_use look_at_log(struct cape_runtime *runtime)
{
	struct log_use use = {0};

	for (unsigned node = 0; node < cape_exchange_senders(runtime); node++) {
		const struct cape_message *message = cape_exchange_message(runtime, node);

		use.total += message->published;
		use.moved |= message->exact != 0;
		use.plain |= !message->exact && (message->size[CAPE_SECTION_TABLE] ||
						 message->size[CAPE_SECTION_EXACT] ||
						 message->size[CAPE_SECTION_NEED]);
	}
	return use;
}

static void merge_all(struct cape_runtime *runtime, bool exact, bool keep)
{
	runtime->way->resolve(runtime);
	if (runtime->nodes == 1)
		settle_own(runtime, keep);
	else if (exact)
		cape_inject_exact(runtime);
	else if (cape_inject(runtime, keep) < 0)
		cape_fail(runtime, 0,
			  "a checkpoint is malformed or names memory that is not "
			  "shared; are the binaries the same on all nodes?");
	if (!exact)
		runtime->way->merge(runtime);
	runtime->way->apply(runtime, keep);
	cape_reduction_list_apply(runtime, keep);
	runtime->way->settle(runtime);
	take_copyprivate(runtime);
	if (runtime->nodes > 1)
		cape_calls_follow(runtime);
	if (keep) {
		cape_input_follow(runtime);
		return;
	}
	cape_input_leave(runtime);
	watch_heap(runtime, false);
}

static void count(struct cape_runtime *runtime, const struct cape_message_writer *writer,
		  const uint64_t time[5])
{
	struct cape_channel_statistics *statistics = &runtime->channel->statistics;

	statistics->sync_points++;
	statistics->runs += runtime->sync->runs.count;
	statistics->changed_bytes += runtime->sync->runs.bytes + runtime->sync->reduction_size;
	statistics->own_bytes += writer->used;
	statistics->compared_bytes = runtime->areas->compared;
	statistics->diff_time += time[1] - time[0];
	statistics->exchange_time += time[2] - time[1];
	statistics->inject_time += time[4] - time[3]; /* between them the log counts */
}

/* What functions that fold changed elsewhere is no change of this node's. */
static void settle_rest(struct cape_runtime *runtime)
{
	watch_heap(runtime, true);
	if (runtime->method->settle)
		runtime->method->settle(runtime);
}

static void exchange(struct cape_runtime *runtime)
{
	cape_profile_phase(runtime, CAPE_PHASE_EXCHANGE);
	if (runtime->nodes == 1)
		return;
	runtime->model->exchange(runtime);
	runtime->way->take_parts(runtime);
	cape_exchange_profile(runtime);
}

/* For --profile: what this node sent, or, if it is the one that merges all, its result. */
static void note_sent(struct cape_runtime *runtime, const struct cape_message_writer *writer)
{
	bool by_master = runtime->model->by_master, result = by_master && runtime->node == 0;
	const struct cape_runs *runs = result ? &runtime->sync->merged : &runtime->sync->runs;
	unsigned others = by_master && !result ? 1 : runtime->nodes - 1;

	if (runtime->nodes == 1 || !cape_profile_is_on(runtime))
		return;
	cape_profile_sent(runtime, result ? runtime->channel->out_size : writer->used, others);
	runtime->way->note_sent(runtime, runs, others);
}

/* One exchange; returns the kind of sync point that the team was at. */
static enum cape_sync_kind one_sync(struct cape_runtime *runtime, enum cape_sync_kind kind,
				    const struct cape_place *place)
{
	struct cape_message_writer writer;
	struct log_use use;
	uint64_t time[5];

	cape_look_anew(runtime);
	cape_log_show(runtime);
	cape_hand_on_send_all(runtime);
	cape_elements_sync(runtime);
	cape_check_sync(runtime, place);
	/* Functions that fold parts run on all nodes alike. */
	cape_check_pause(runtime, true);
	cape_profile_phase(runtime, CAPE_PHASE_FIND);
	time[0] = cape_now();
	cape_own_objects_hold(runtime);
	generate(runtime, kind, place);
	if (runtime->channel->flags & CAPE_CHANNEL_STATISTICS)
		runtime->channel->statistics.paper_bytes +=
			cape_paper_size(runtime, &runtime->sync->runs);
	put_message(runtime, &writer, kind, place, runtime->log->moved);
	cape_own_objects_release(runtime);
	time[1] = cape_now();
	exchange(runtime);
	cape_exchange_check(runtime);
	use = look_at_log(runtime);
	if (use.moved && (use.plain || runtime->way->is_contested(runtime))) {
		runtime->way->list_all(runtime, &runtime->sync->runs, NULL);
		cape_profile_phase(runtime, CAPE_PHASE_FIND);
		put_message(runtime, &writer, kind, place, true);
		exchange(runtime);
	}
	kind = cape_exchange_check(runtime);
	if (runtime->channel->flags & CAPE_CHANNEL_SAVE)
		cape_due_agree(runtime, kind);
	if (kind == CAPE_SYNC_END)
		take_files(runtime);
	time[2] = cape_now();
	cape_profile_phase(runtime, CAPE_PHASE_MERGE);
	if (use.moved)
		cape_log_catch_up(runtime, use.total);
	time[3] = cape_now();
	if (kind == CAPE_SYNC_END)
		cape_threadprivate_leave(runtime);
	merge_all(runtime, use.moved, kind != CAPE_SYNC_END);
	if (runtime->nodes > 1 && runtime->model->send_result)
		runtime->model->send_result(runtime);
	runtime->exchange->by_master = false;
	runtime->sync->time_stamp = runtime->nodes - 1 - runtime->node;
	if (kind != CAPE_SYNC_END && runtime->method->lock)
		runtime->method->lock(runtime);
	time[4] = cape_now();
	count(runtime, &writer, time);
	note_sent(runtime, &writer);
	runtime->sync->reduction_size = 0;
	if (cape_reduction_list_finish(runtime, kind != CAPE_SYNC_END) && kind != CAPE_SYNC_END)
		settle_rest(runtime);
	cape_check_pause(runtime, false);
	return kind;
}

/* Whether nodes need not meet; END as in struct cape_exchange_way. */
static bool is_skipped(struct cape_runtime *runtime, const struct cape_place *end)
{
	const struct cape_sync *sync = runtime->sync;
	bool plain = !sync->reduction_size && !sync->postponed_size && !sync->copyprivate_count &&
		     !runtime->log->moved && !runtime->elements->count &&
		     !(runtime->channel->flags & CAPE_CHANNEL_KEEP);

	return plain && runtime->way->skip && runtime->way->skip(runtime, end);
}

bool cape_sync_skip_end(struct cape_runtime *runtime, const struct cape_place *place)
{
	if (!is_skipped(runtime, place))
		return false;
	cape_threadprivate_leave(runtime);
	cape_look_anew(runtime);
	return true;
}

void cape_sync_point(struct cape_runtime *runtime, enum cape_sync_kind kind,
		     const struct cape_place *place)
{
	enum cape_phase phase = cape_profile_phase(runtime, CAPE_PHASE_FIND);

	runtime->log->readable = NULL;
	runtime->log->is_based = false;
	runtime->log->is_own = NULL;
	if (kind == CAPE_SYNC_BARRIER && is_skipped(runtime, NULL)) {
		runtime->log->is_alone = NULL;
		cape_profile_phase(runtime, phase);
		return;
	}
	cape_streams_flush();
	cape_runtime_place(runtime, place);
	cape_profile_look(runtime);
	while (one_sync(runtime, kind, place) != CAPE_SYNC_END && kind == CAPE_SYNC_END) {
		if (runtime->channel->flags & CAPE_CHANNEL_VERIFY)
			cape_verify(runtime, false, place);
		if (runtime->due->in_region)
			cape_due_save(runtime);
	}
	if (runtime->channel->flags & CAPE_CHANNEL_VERIFY)
		cape_verify(runtime, kind == CAPE_SYNC_END, place);
	cape_mapping_close(runtime);
	cape_profile_sync(runtime);
	if (kind != CAPE_SYNC_END && runtime->due->in_region)
		cape_due_save(runtime);
	cape_profile_phase(runtime, phase);
}
