// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * readable.c - what others may read of what this node's threads write between two sync points: no
 * more has to be published there, and of that only what the thread that publishes has written.
 */
#include <string.h>
#include "base/context.h"
#include "base/ordering.h"
#include "memory/directory.h"
#include "memory/shared.h"
#include "openmp/constructs.h"
#include "planned/planned.h"
#include "sync/log.h"
#include "system/ranges.h"

#define PIECES_MOST (1u << 16) /* in which changes are looked for at once */

/* -- sets -------------------------------------------------------------------------------------- */

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
			described->box, (described->part - 1) % runtime->threads,
			loop && described->box.dimensions && (described->loops & 0xff) == loop};
	}
}

/* -- between the sync points ------------------------------------------------------------------- */

/* What was written in the rounds from FIRST to LAST, from 1 on, or may have been; 0: in none yet.
 */
static bool add_rounds(struct cape_intervals *set, const struct cape_pipeline_box *from,
		       uint64_t first, uint64_t last)
{
	struct cape_box box = from->box;
	struct cape_dimension *rounds = &box.dimension[0];

	first -= first > 0;
	last += !last;
	if (!from->counted)
		return add(set, &from->box);
	if (first >= rounds->count)
		return true;
	box.at += first * (uint64_t)rounds->stride;
	rounds->count = cape_least(last, rounds->count) - first;
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
		if ((runtime->threads > 1 ||
		     flushed->range[i].end - flushed->range[i].start <= CAPE_PAGE) &&
		    (!runtime->planned->pipeline.is_planned ||
		     cape_plan_is_common(runtime, flushed->range[i])))
			cape_ranges_add(runtime, ranges, flushed->range[i]);
}

/* Whether what was asked for last is what is asked for now: no thread has gone on since. */
static bool is_same(const struct cape_runtime *runtime, const struct cape_pipeline *pipeline)
{
	bool same = pipeline->stands;

	for (unsigned i = 0; i < runtime->threads; i++)
		same &= pipeline->of[i].asked ==
			__atomic_load_n(&pipeline->of[i].rounds, __ATOMIC_ACQUIRE);
	return same;
}

/* What was written in the rounds since this was asked last. */
static const struct cape_ranges *readable_now(struct cape_runtime *runtime)
{
	struct cape_planned *planned = runtime->planned;
	struct cape_pipeline *pipeline = &planned->pipeline;
	struct cape_intervals *set = &planned->written;
	bool good = true;

	if (is_same(runtime, pipeline))
		return &pipeline->now;
	for (unsigned i = 0; i < runtime->threads; i++)
		pipeline->of[i].now = __atomic_load_n(&pipeline->of[i].rounds, __ATOMIC_ACQUIRE);
	cape_intervals_empty(set);
	for (size_t i = 0; i < pipeline->boxes && good; i++) {
		const struct cape_pipeline_box *box = &pipeline->box[i];
		const struct cape_pipeline_thread *of = &pipeline->of[box->thread];

		good = add_rounds(set, box, of->asked, of->now);
	}
	pipeline->stands = false;
	if (!good || cape_intervals_sort(set) < 0)
		return &pipeline->readable;
	pipeline->stands = true;
	for (unsigned i = 0; i < runtime->threads; i++) {
		struct cape_pipeline_thread *of = &pipeline->of[i];

		pipeline->stands &= of->asked && of->asked == of->now;
		of->asked = of->now;
	}
	find_both(runtime, set, &pipeline->others, &pipeline->now);
	add_flushed(runtime, &pipeline->now);
	return &pipeline->now;
}

/* Whether no other node writes to the page. */
static bool is_alone(struct cape_runtime *runtime, uint64_t page)
{
	const struct cape_intervals *theirs = &runtime->planned->pipeline.theirs;
	size_t i = cape_ranges_find(theirs->list, theirs->count, sizeof(*theirs->list), page);

	return i == theirs->count || theirs->list[i].start >= page + CAPE_PAGE;
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

/* -- questions --------------------------------------------------------------------------------- */

bool cape_readable_find(struct cape_runtime *runtime, unsigned long loop)
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

void cape_readable_begin(struct cape_runtime *runtime)
{
	struct cape_pipeline *pipeline = &runtime->planned->pipeline;

	if (pipeline->is_planned)
		make_base(runtime);
	add_flushed(runtime, &pipeline->readable);
	if (!pipeline->of)
		pipeline->of = cape_must_reserve(runtime, runtime->threads * sizeof(*pipeline->of));
	memset(pipeline->of, 0, runtime->threads * sizeof(*pipeline->of));
	pipeline->stands = false;
	runtime->ordering->speak(runtime);
	runtime->log->readable = readable_now;
	runtime->log->is_based = pipeline->is_planned;
	runtime->log->is_alone = is_alone;
	runtime->ordering->be_silent(runtime);
}

void cape_readable_round(struct cape_runtime *runtime)
{
	struct cape_pipeline_thread *of = runtime->planned->pipeline.of;

	runtime->log->rounds++;
	if (of && cape_is_concurrent(runtime))
		__atomic_add_fetch(&of[cape_constructs->number() % runtime->threads].rounds, 1,
				   __ATOMIC_RELEASE);
}
