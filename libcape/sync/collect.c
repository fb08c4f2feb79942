// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * collect.c - what this node has changed and did not publish, byte by byte, for the log.
 *
 * Other threads of the node write meanwhile.  What they flush by name (memory/flushed.h) is read
 * before all else and published after it: who sees a flag sees what was written before the flag.
 */
#include <string.h>
#include "base/context.h"
#include "base/ordering.h"
#include "base/own_objects.h"
#include "base/way.h"
#include "memory/directory.h"
#include "memory/flushed.h"
#include "memory/shared.h"
#include "memory/track.h"
#include "message/request.h"
#include "profile/profile.h"
#include "replica/input.h"
#include "replica/streams.h"
#include "sync/log.h"
#include "sync/sync_point.h"

static void *at_address(uint64_t address)
{
	return (void *)(uintptr_t)address;
}

uint64_t cape_log_encode_bound(const struct cape_runtime *runtime)
{
	return (2 * runtime->sync->runs.count + runtime->sync->runs.bytes / CAPE_PAGE) *
		       cape_exact_bound(0) +
	       runtime->sync->runs.bytes / 8 * 9 + 9;
}

/* What of the runs is written down. */
enum encoded {
	ENCODED_SHOWN,	 /* all, and the twin stays */
	ENCODED_SETTLED, /* all, and the twin becomes what memory is */
	ENCODED_EARLY,	 /* the same, without flushed variables */
};

/* The first part of LEFT that is in one piece, and is written down or not as a whole. */
static struct cape_run part(struct cape_runtime *runtime, const struct cape_run *left,
			    enum encoded what, bool *is_late)
{
	struct cape_run run = {left->address, runtime->way->part(left->address, left->length)};

	*is_late = false;
	if (what == ENCODED_EARLY)
		run.length = cape_flushed_part(runtime, run.address, run.length, is_late);
	return run;
}

static uint64_t encode(struct cape_runtime *runtime, unsigned char *out, enum encoded what)
{
	const unsigned char *start = out;
	uint64_t end = 0;

	for (size_t i = 0; i < runtime->sync->runs.count; i++) {
		struct cape_run left = runtime->sync->runs.run[i], run;

		for (; left.length; left.address += run.length, left.length -= run.length) {
			struct cape_area *area = cape_areas_find(runtime->areas, left.address, 1);
			unsigned char *twin;
			bool is_late;

			run = part(runtime, &left, what, &is_late);
			twin = cape_area_twin(area, run.address, run.length);
			if (is_late)
				cape_track_again(runtime, area, run.address, run.length);
			else if (what == ENCODED_SHOWN)
				out = cape_exact_put(out, &end, &run, at_address(run.address),
						     twin);
			else
				out = cape_exact_collect(
					out, &end, &run, at_address(run.address), twin,
					runtime->way->yields(runtime, area, run.address));
		}
	}
	return (uint64_t)(out - start);
}

uint64_t cape_log_encode(struct cape_runtime *runtime, unsigned char *out)
{
	return encode(runtime, out, ENCODED_SHOWN);
}

/* For --profile: all nodes will have it at the next sync point. */
static void note_sent(struct cape_runtime *runtime, uint64_t size)
{
	cape_profile_sent(runtime, size, runtime->nodes - 1);
	cape_profile_runs(runtime, CAPE_TRAFFIC_SENT, &runtime->sync->runs, runtime->nodes - 1);
}

static uint64_t collect(struct cape_runtime *runtime, int error, unsigned char *out,
			enum encoded what)
{
	struct cape_channel_statistics *statistics = &runtime->channel->statistics;
	uint64_t size;

	if (error < 0)
		cape_fail_for_changes(runtime, runtime->sync->runs.count, error);
	if (cape_log_encode_bound(runtime) > CAPE_CHANNEL_LIMIT / 4)
		cape_fail(runtime, 0, "a checkpoint of %llu bytes is more than CAPE can send",
			  (unsigned long long)runtime->sync->runs.bytes);
	size = encode(runtime, out, what);
	statistics->runs += runtime->sync->runs.count;
	statistics->changed_bytes += runtime->sync->runs.bytes;
	statistics->own_bytes += size;
	note_sent(runtime, size);
	return size;
}

/* What this node has alone is nobody's concern: it has no base that means anything. */
static int collect_part(void *context, struct cape_area *area, struct cape_range range)
{
	struct cape_runtime *runtime = context;

	return cape_area_diff(runtime->areas, area, range, &runtime->sync->runs);
}

/* Most of what may have changed since the last flush has not. */
static bool is_as_base(struct cape_area *area, struct cape_range range)
{
	uint64_t length = range.end - range.start;

	return !memcmp(at_address(range.start), cape_area_twin(area, range.start, length), length);
}

static int diff_range(struct cape_runtime *runtime, struct cape_range range)
{
	struct cape_area *area =
		cape_areas_find(runtime->areas, range.start, range.end - range.start);

	if (runtime->log->is_based)
		return is_as_base(area, range) ? 0 : collect_part(runtime, area, range);
	return cape_directory_without(area, range, CAPE_PAGES_UNWATCHED, collect_part, runtime);
}

static int diff_ranges(struct cape_runtime *runtime, const struct cape_ranges *ranges)
{
	int error = 0;

	for (size_t i = 0; i < ranges->count && !error; i++)
		error = diff_range(runtime, ranges->range[i]);
	return error;
}

/* What of RANGE is in READABLE. */
static int diff_readable(struct cape_runtime *runtime, struct cape_range range,
			 const struct cape_ranges *readable)
{
	struct cape_range part;
	int error = 0;

	for (; range.start < range.end && !error; range.start = part.end) {
		part = range;
		if (cape_ranges_cut(readable, &part))
			error = diff_range(runtime, part);
	}
	return error;
}

static int diff_flushed(struct cape_runtime *runtime, const struct cape_ranges *readable)
{
	const struct cape_ranges *flushed = runtime->flushed;
	int error = 0;

	for (size_t i = 0; i < flushed->count && !error; i++)
		error = runtime->log->is_based ? diff_readable(runtime, flushed->range[i], readable)
					       : diff_range(runtime, flushed->range[i]);
	return error;
}

/* What flushed variables are, before anything that is written from now on is collected. */
static uint64_t collect_flushed(struct cape_runtime *runtime, const struct cape_ranges *readable)
{
	cape_runs_clear(&runtime->sync->runs);
	if (runtime->threads == 1)
		return 0;
	return collect(runtime, diff_flushed(runtime, readable), runtime->log->late,
		       ENCODED_SETTLED);
}

/* What differs of READABLE, or NULL: of all. */
static uint64_t collect_all(struct cape_runtime *runtime, const struct cape_ranges *readable)
{
	int error;

	cape_runs_clear(&runtime->sync->runs);
	if (readable)
		error = diff_ranges(runtime, readable);
	else
		error = cape_track_diff_beside(runtime, &runtime->sync->runs);
	return collect(runtime, error, cape_request_payload(runtime),
		       runtime->threads == 1 ? ENCODED_SETTLED : ENCODED_EARLY);
}

/* What was collected is in the log when flushed variables come after it. */
static uint64_t put_late(struct cape_runtime *runtime, uint64_t size, uint64_t late)
{
	if (size && late)
		cape_log_ask(runtime, (struct cape_service_request){.kind = CAPE_SERVICE_FLUSH,
								    .size = size});
	if (late)
		memcpy(cape_request_payload(runtime), runtime->log->late, late);
	return late ? late : size;
}

uint64_t cape_log_collect(struct cape_runtime *runtime)
{
	enum cape_phase phase = cape_profile_phase(runtime, CAPE_PHASE_FIND);
	const struct cape_ranges *readable = NULL;
	uint64_t started, size, late;

	cape_streams_flush();
	started = cape_now();
	runtime->ordering->begin_access(runtime);
	cape_own_objects_hold(runtime);
	if (runtime->log->readable)
		readable = runtime->log->readable(runtime);
	else
		cape_input_note(runtime, false);
	runtime->way->look(runtime, readable);
	late = collect_flushed(runtime, readable);
	size = collect_all(runtime, readable);
	cape_own_objects_release(runtime);
	runtime->ordering->end_access(runtime);
	runtime->channel->statistics.diff_time += cape_now() - started;
	cape_profile_phase(runtime, phase);
	return put_late(runtime, size, late);
}

uint64_t cape_log_collect_range(struct cape_runtime *runtime, uint64_t address, uint64_t length)
{
	uint64_t size;

	cape_streams_flush();
	runtime->ordering->begin_access(runtime);
	if (runtime->way->look_at(runtime, address, length)) {
		cape_runs_clear(&runtime->sync->runs);
		size = collect(runtime,
			       diff_range(runtime, (struct cape_range){address, address + length}),
			       cape_request_payload(runtime), ENCODED_SETTLED);
	} else {
		size = cape_log_collect(runtime);
	}
	runtime->ordering->end_access(runtime);
	return size;
}
