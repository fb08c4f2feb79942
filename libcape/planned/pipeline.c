// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * pipeline.c - what threads run between two sync points, and hand on to each other by flushes: a
 * node publishes what others may read of it, and no more.
 *
 * Each node computes this by itself, from what every thread was described to read and write.
 */
#include <string.h>
#include "memory/shared.h"
#include "base/method.h"
#include "base/ordering.h"
#include "channel/near.h"
#include "memory/directory.h"
#include "need/parts.h"
#include "openmp/constructs.h"
#include "openmp/team.h"
#include "planned/planned.h"
#include "sync/log.h"
#include "system/ranges.h"

#define PIECES_MOST (1u << 16) /* that others may read, in which changes are looked for at once */

/* -- description ------------------------------------------------------------------------------- */

static bool is_possible(const struct cape_runtime *runtime)
{
	return runtime->nodes > 1 && cape_is_concurrent(runtime) &&
	       cape_constructs->size() == cape_team_all(runtime) &&
	       runtime->planned->team->shares(runtime) && cape_log_is_usable(runtime) &&
	       !runtime->check && !(runtime->channel->flags & CAPE_CHANNEL_RACES);
}

/* Whether all threads of the node are here: what they did before is known to all nodes. */
static bool is_last(struct cape_runtime *runtime)
{
	struct cape_pipeline *pipeline = &runtime->planned->pipeline;
	unsigned threads = runtime->threads;

	return __atomic_add_fetch(&pipeline->arrived, 1, __ATOMIC_ACQ_REL) % threads == 0;
}

/* One node's threads would see what comes before all of it is here. */
static bool begin_planned(struct cape_runtime *runtime)
{
	struct cape_planned *planned = runtime->planned;

	if (runtime->threads > 1)
		return false;
	planned->construct = cape_constructs->innermost();
	return cape_plan_open(runtime, planned->construct->place);
}

static void begin_describing(struct cape_runtime *runtime)
{
	struct cape_planned *planned = runtime->planned;

	planned->pipeline.is_planned = begin_planned(runtime);
	planned->pipeline.describing = true;
	planned->pipeline.thread = 0;
	planned->described_count = planned->parts = planned->rounds = 0;
	planned->failed = planned->reads_failed = false;
}

CAPE_EXPORT int cape_pipeline_begin(void)
{
	struct cape_runtime *runtime = cape_runtime_get();
	struct cape_planned *planned = runtime->planned;

	if (!planned->team || !is_possible(runtime) || !is_last(runtime))
		return 0;
	begin_describing(runtime);
	return 1;
}

CAPE_EXPORT int cape_pipeline_thread(void)
{
	struct cape_runtime *runtime = cape_runtime_get();
	struct cape_planned *planned = runtime->planned;
	unsigned thread = planned->pipeline.thread++;

	if (planned->failed || thread >= cape_team_all(runtime))
		return -1;
	planned->thread = thread;
	planned->node = thread / runtime->threads;
	planned->parts++;
	return (int)thread;
}

CAPE_EXPORT int cape_pipeline_own(void)
{
	return (int)cape_constructs->number();
}

CAPE_EXPORT void cape_pipeline_share(int thread, unsigned long count, unsigned long *left,
				     unsigned long *right)
{
	const struct cape_work work = {.last = count};
	struct cape_job job = cape_job_make(&work, (unsigned long)thread, cape_constructs->size());

	if (!cape_job_next(&job, left, right))
		*left = *right = 0;
}

/* -- what others read of what this node writes ------------------------------------------------- */

static bool add(struct cape_intervals *set, const struct cape_box *box)
{
	return cape_intervals_add(set, box) == 0;
}

/* All that is written; what this node writes; what others write, and read; what decides. */
static bool find_sets(struct cape_runtime *runtime)
{
	struct cape_planned *planned = runtime->planned;
	struct cape_pipeline *pipeline = &planned->pipeline;
	struct cape_intervals *all = &planned->written, *index = &planned->read;
	bool good = true;

	cape_intervals_empty(all);
	cape_intervals_empty(index);
	cape_intervals_empty(&pipeline->own);
	cape_intervals_empty(&pipeline->others);
	cape_intervals_empty(&pipeline->theirs);
	for (size_t i = 0; i < planned->described_count && good; i++) {
		const struct cape_described *described = &planned->described[i];
		bool own = described->node == runtime->node;

		if (cape_set_is_written(described->set))
			good = add(all, &described->box) &&
			       add(own ? &pipeline->own : &pipeline->theirs, &described->box);
		else if (described->set == CAPE_SET_INDEX)
			good = add(index, &described->box);
		if (good && !own && !cape_set_is_written(described->set))
			good = add(&pipeline->others, &described->box);
	}
	good = good && !cape_intervals_sort(&pipeline->theirs);
	return good && !cape_intervals_sort(all) && !cape_intervals_sort(index) &&
	       !cape_intervals_sort(&pipeline->own) && !cape_intervals_sort(&pipeline->others) &&
	       !cape_intervals_meet(all, index);
}

/* What both have, in order, to RANGES. */
static void find_both(struct cape_runtime *runtime, const struct cape_intervals *one,
		      const struct cape_intervals *other, struct cape_ranges *ranges)
{
	ranges->count = 0;
	for (size_t i = 0; i < one->count; i++) {
		const struct cape_interval *a = &one->list[i];
		size_t j =
			cape_ranges_find(other->list, other->count, sizeof(*other->list), a->start);

		for (; j < other->count && other->list[j].start < a->end; j++) {
			cape_must_grow(runtime, (void **)&ranges->range, &ranges->room,
				       ranges->count + 1, sizeof(*ranges->range));
			ranges->range[ranges->count++] =
				(struct cape_range){cape_greatest(a->start, other->list[j].start),
						    cape_least(a->end, other->list[j].end)};
		}
	}
}

/* What is no memory of nodes cannot be published. */
static bool are_shared(struct cape_runtime *runtime, const struct cape_ranges *ranges)
{
	for (size_t i = 0; i < ranges->count; i++) {
		const struct cape_range *range = &ranges->range[i];

		if (!cape_shared_holds(runtime, range->start, range->end - range->start))
			return false;
	}
	return true;
}

/* Whether others read something of BOX, which this node writes; if they may, it is true. */
static bool is_read(struct cape_planned *planned, const struct cape_box *box)
{
	struct cape_intervals *set = &planned->written;

	cape_intervals_empty(set);
	return !add(set, box) || cape_intervals_sort(set) < 0 ||
	       cape_intervals_meet(set, &planned->pipeline.others);
}

/* Keeps what this node writes and others read; LOOP is the one whose rounds are counted, or 0. */
static void keep_boxes(struct cape_runtime *runtime, unsigned long loop)
{
	struct cape_planned *planned = runtime->planned;
	struct cape_pipeline *pipeline = &planned->pipeline;

	pipeline->boxes = 0;
	for (size_t i = 0; i < planned->described_count; i++) {
		const struct cape_described *described = &planned->described[i];

		if (described->node != runtime->node || !cape_set_is_written(described->set) ||
		    !is_read(planned, &described->box))
			continue;
		cape_must_grow(runtime, (void **)&pipeline->box, &pipeline->box_room,
			       pipeline->boxes + 1, sizeof(*pipeline->box));
		pipeline->box[pipeline->boxes++] = (struct cape_pipeline_box){
			described->box,
			loop && described->box.dimensions && (described->loops & 0xff) == loop};
	}
}

/* -- between the sync points ------------------------------------------------------------------- */

/* What was written in the rounds from FIRST to LAST, or may have been. */
static bool add_rounds(struct cape_intervals *set, const struct cape_pipeline_box *from,
		       uint64_t first, uint64_t last)
{
	struct cape_box box = from->box;
	struct cape_dimension *rounds = &box.dimension[0];

	if (!from->counted)
		return add(set, &from->box);
	if (first >= rounds->count)
		return true;
	box.at += first * (uint64_t)rounds->stride;
	rounds->count = cape_least(last + 1, rounds->count) - first;
	return add(set, &box);
}

/*
 * What the program flushes by name is published as soon as it has changed, for a flush of the name
 * asks that; where a node has threads all of it is collected first (sync/collect.c).  Of pages that
 * are not common only what this node writes has a base.
 */
static void add_flushed(struct cape_runtime *runtime, struct cape_ranges *ranges)
{
	const struct cape_ranges *flushed = runtime->flushed;

	for (size_t i = 0; i < flushed->count; i++)
		if (runtime->threads > 1 ||
		    (flushed->range[i].end - flushed->range[i].start <= CAPE_PAGE &&
		     (!runtime->planned->pipeline.is_planned ||
		      cape_plan_is_common(runtime, flushed->range[i]))))
			cape_ranges_add(runtime, ranges, flushed->range[i]);
}

/* What was written in the rounds since this was asked last. */
static const struct cape_ranges *readable_now(struct cape_runtime *runtime)
{
	struct cape_planned *planned = runtime->planned;
	struct cape_pipeline *pipeline = &planned->pipeline;
	uint64_t first = pipeline->asked, last = runtime->log->rounds - pipeline->began;
	struct cape_intervals *set = &planned->written;
	bool good = true;

	/* The same as the last time. */
	if (first && first == last && pipeline->from == first)
		return &pipeline->now;
	cape_intervals_empty(set);
	for (size_t i = 0; i < pipeline->boxes && good; i++)
		good = add_rounds(set, &pipeline->box[i], first ? first - 1 : 0,
				  last ? last - 1 : 0);
	if (!good || cape_intervals_sort(set) < 0)
		return &pipeline->readable;
	pipeline->asked = last;
	pipeline->from = first;
	find_both(runtime, set, &pipeline->others, &pipeline->now);
	add_flushed(runtime, &pipeline->now);
	return &pipeline->now;
}

static const struct cape_ranges *readable_at_all(struct cape_runtime *runtime)
{
	return &runtime->planned->pipeline.readable;
}

/* Whether no other node writes to the page. */
static bool is_alone(struct cape_runtime *runtime, uint64_t page)
{
	const struct cape_intervals *theirs = &runtime->planned->pipeline.theirs;
	size_t i = cape_ranges_find(theirs->list, theirs->count, sizeof(*theirs->list), page);

	return i == theirs->count || theirs->list[i].start >= page + CAPE_PAGE;
}

/* -- in a plan --------------------------------------------------------------------------------- */

/* What this node has of others is what they had before anybody goes on to change it. */
static void await_all(struct cape_runtime *runtime)
{
	struct cape_channel *channel = runtime->channel;

	if (runtime->need->divided.sends)
		return;
	cape_near_brought(channel);
	for (unsigned node = 0; node < runtime->nodes; node++)
		if (node != runtime->node)
			cape_near_await_brought(channel, node, channel->fetch.version);
}

/* What others read of it is compared with what it is now; common pages have such a base. */
static void make_base(struct cape_runtime *runtime)
{
	const struct cape_ranges *readable = &runtime->planned->pipeline.readable;

	for (size_t i = 0; i < readable->count; i++) {
		uint64_t at = readable->range[i].start, end = readable->range[i].end, next;
		struct cape_area *area = cape_areas_find(runtime->areas, at, end - at);

		for (; at < end; at = next) {
			next = cape_page_end(at, end);
			if (!cape_plan_is_common(runtime, (struct cape_range){at, next}))
				memcpy(cape_area_twin(area, at, next - at),
				       (const void *)(uintptr_t)at, next - at);
		}
	}
}

/* Nothing is looked for at the next sync point, but on pages that stay common. */
static void start_planned(struct cape_runtime *runtime)
{
	struct cape_pipeline *pipeline = &runtime->planned->pipeline;

	pipeline->is_planned = cape_plan_start(runtime);
	if (!pipeline->is_planned)
		return;
	await_all(runtime);
	make_base(runtime);
	runtime->log->is_based = true;
}

/* Whether it is known what others read of this node. */
static bool find_readable(struct cape_runtime *runtime, unsigned long loop)
{
	struct cape_planned *planned = runtime->planned;
	struct cape_pipeline *pipeline = &planned->pipeline;

	if (planned->failed || planned->reads_failed || !find_sets(runtime))
		return false;
	find_both(runtime, &pipeline->own, &pipeline->others, &pipeline->readable);
	if (pipeline->readable.count > PIECES_MOST || !are_shared(runtime, &pipeline->readable))
		return false;
	keep_boxes(runtime, loop);
	return true;
}

CAPE_EXPORT void cape_pipeline_ready(unsigned long loop)
{
	struct cape_runtime *runtime = cape_runtime_get();
	struct cape_pipeline *pipeline = &runtime->planned->pipeline;

	pipeline->describing = false;
	if (!find_readable(runtime, loop)) {
		if (pipeline->is_planned)
			cape_plan_fall_back(runtime);
		pipeline->is_planned = false;
		return;
	}
	if (pipeline->is_planned)
		start_planned(runtime);
	add_flushed(runtime, &pipeline->readable);
	pipeline->from = pipeline->asked = 0;
	pipeline->began = runtime->log->rounds;
	runtime->ordering->speak(runtime);
	runtime->log->readable = runtime->threads == 1 ? readable_now : readable_at_all;
	runtime->log->is_alone = is_alone;
	runtime->ordering->be_silent(runtime);
}

CAPE_EXPORT void cape_pipeline_round(void)
{
	cape_runtime_get()->log->rounds++;
}
