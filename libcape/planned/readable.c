// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * readable.c - what others may read of what this node's threads write between two sync points: no
 * more has to be published there, and of that only what was written since it was last asked for.
 */
#include <string.h>
#include "base/context.h"
#include "base/ordering.h"
#include "memory/directory.h"
#include "memory/shared.h"
#include "message/port.h"
#include "openmp/constructs.h"
#include "planned/planned.h"
#include "sync/hand_on.h"
#include "sync/log.h"
#include "system/number.h"
#include "system/ranges.h"

/* Of a pipeline: so many rounds, and stretches that are written in one. */
#define ROUNDS_KEPT 1024u
#define RANGES_KEPT 256u

/* -- sets -------------------------------------------------------------------------------------- */

static bool add(struct cape_intervals *set, const struct cape_box *box)
{
	return cape_intervals_add(set, box) == 0;
}

/* All that is written; what this node writes; what others write, and access; what decides. */
static bool find_sets(struct cape_runtime *runtime, struct cape_pipeline_sets *sets)
{
	struct cape_planned *planned = runtime->planned;
	struct cape_intervals *all = &planned->written, *index = &planned->read;
	bool good = true;

	cape_intervals_empty(all);
	cape_intervals_empty(index);
	cape_intervals_empty(&sets->own);
	cape_intervals_empty(&sets->others);
	cape_intervals_empty(&sets->theirs);
	for (size_t i = 0; i < planned->described_count && good; i++) {
		const struct cape_described *described = &planned->described[i];
		bool own = described->node == runtime->node;

		if (cape_set_is_written(described->set))
			good = add(all, &described->box) &&
			       add(own ? &sets->own : &sets->theirs, &described->box);
		else if (described->set == CAPE_SET_INDEX)
			good = add(index, &described->box);
		/* Who writes the same after this node has what that one wrote. */
		if (good && !own)
			good = add(&sets->others, &described->box);
	}
	good = good && !cape_intervals_sort(&sets->theirs);
	return good && !cape_intervals_sort(all) && !cape_intervals_sort(index) &&
	       !cape_intervals_sort(&sets->own) && !cape_intervals_sort(&sets->others) &&
	       !cape_intervals_meet(all, index);
}

static bool add_reads_of(struct cape_runtime *runtime, unsigned node, struct cape_intervals *set)
{
	struct cape_planned *planned = runtime->planned;
	bool good = true;

	cape_intervals_empty(set);
	for (size_t i = 0; i < planned->described_count && good; i++)
		if (planned->described[i].node == node &&
		    !cape_set_is_written(planned->described[i].set))
			good = add(set, &planned->described[i].box);
	return good && !cape_intervals_sort(set);
}

/* Which nodes read something that this one writes. */
static bool find_readers(struct cape_runtime *runtime, struct cape_pipeline_sets *sets)
{
	struct cape_intervals *reads = &runtime->planned->written;
	bool good = true;

	sets->readers = 0;
	/* Only those whose programs are connected are asked about. */
	if (!cape_port(runtime)->connects)
		return true;
	for (unsigned node = 0; node < runtime->nodes && good; node++) {
		good = add_reads_of(runtime, node, reads);
		if (good && cape_intervals_meet(reads, &sets->own))
			sets->readers |= 1u << node;
	}
	return good;
}

/* What is no memory of nodes cannot be published. */
static void add_range(struct cape_runtime *runtime, struct cape_ranges *ranges, uint64_t start,
		      uint64_t end)
{
	if (!cape_shared_holds(runtime, start, end - start))
		return;
	cape_must_grow(runtime, (void **)&ranges->range, &ranges->room, ranges->count + 1,
		       sizeof(*ranges->range));
	ranges->range[ranges->count++] = (struct cape_range){start, end};
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

		for (; j < other->count && other->list[j].start < a->end; j++)
			add_range(runtime, ranges, cape_greatest(a->start, other->list[j].start),
				  cape_least(a->end, other->list[j].end));
	}
}

/* Whether others read something of BOX, which this node writes; if they may, it is true. */
static bool is_read(struct cape_planned *planned, const struct cape_pipeline_sets *sets,
		    const struct cape_box *box)
{
	struct cape_intervals *set = &planned->written;

	cape_intervals_empty(set);
	return !add(set, box) || cape_intervals_sort(set) < 0 ||
	       cape_intervals_meet(set, &sets->others);
}

/* Keeps what this node writes and others read; LOOP is the one whose rounds are counted, or 0. */
static void keep_boxes(struct cape_runtime *runtime, struct cape_pipeline_sets *sets,
		       unsigned long loop)
{
	struct cape_planned *planned = runtime->planned;

	sets->boxes = 0;
	for (size_t i = 0; i < planned->described_count; i++) {
		const struct cape_described *described = &planned->described[i];

		if (described->node != runtime->node || !cape_set_is_written(described->set) ||
		    !is_read(planned, sets, &described->box))
			continue;
		cape_must_grow(runtime, (void **)&sets->box, &sets->box_room, sets->boxes + 1,
			       sizeof(*sets->box));
		sets->box[sets->boxes++] = (struct cape_pipeline_box){
			described->box, (described->part - 1) % runtime->threads,
			loop && described->box.dimensions && (described->loops & 0xff) == loop};
	}
}

/* All that was described, as a number. */
static uint64_t number_of(const struct cape_planned *planned, unsigned long loop)
{
	uint64_t number = cape_number_mix(cape_number_mix(planned->writes, planned->reads), loop);

	number = cape_number_mix(number, (uintptr_t)planned->construct->place);
	for (size_t i = 0; i < planned->described_count; i++)
		number = cape_number_mix(cape_number_mix(number, planned->described[i].loops),
					 planned->described[i].part);
	return number;
}

/* Those of NUMBER, found before; or the ones whose place they take. */
static struct cape_pipeline_sets *sets_of(struct cape_pipeline *pipeline, uint64_t number)
{
	for (unsigned i = 0; i < CAPE_PIPELINES; i++)
		if (pipeline->sets[i].number == number)
			return &pipeline->sets[i];
	return &pipeline->sets[pipeline->next++ % CAPE_PIPELINES];
}

/* -- between the sync points ------------------------------------------------------------------- */

static void __attribute__((noreturn)) fail(struct cape_runtime *runtime)
{
	cape_fail(runtime, 0, "out of memory for what other nodes read of this one");
}

/* What its thread has written since it was asked last, or may have; rounds are from 1 on. */
static void add_rounds(struct cape_runtime *runtime, struct cape_intervals *set,
		       const struct cape_pipeline_box *from)
{
	const struct cape_pipeline_thread *of = &runtime->planned->pipeline.of[from->thread];
	uint64_t first = of->asked - (of->asked > 0), end = of->now + !of->now;
	struct cape_box box = from->box;
	struct cape_dimension *rounds = &box.dimension[0];

	if (from->counted && first >= rounds->count)
		return;
	if (from->counted) {
		box.at += first * (uint64_t)rounds->stride;
		rounds->count = cape_least(end, rounds->count) - first;
	}
	if (!add(set, &box))
		fail(runtime);
}

/*
 * What the program flushes by name is published as soon as it has changed, for a flush of the name
 * asks that; where a node has threads all of it is collected first (sync/collect.c).
 */
static void add_flushed(struct cape_runtime *runtime, struct cape_ranges *ranges)
{
	const struct cape_ranges *flushed = runtime->flushed;

	for (size_t i = 0; i < flushed->count; i++)
		if (runtime->threads > 1 ||
		    flushed->range[i].end - flushed->range[i].start <= CAPE_PAGE)
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

/* What its threads have written between the rounds of which this was asked. */
static void find_written(struct cape_runtime *runtime, struct cape_ranges *written)
{
	struct cape_planned *planned = runtime->planned;
	const struct cape_pipeline_sets *sets = planned->pipeline.on;
	struct cape_intervals *set = &planned->written;

	cape_intervals_empty(set);
	for (size_t i = 0; i < sets->boxes; i++)
		add_rounds(runtime, set, &sets->box[i]);
	if (cape_intervals_sort(set) < 0)
		fail(runtime);
	find_both(runtime, set, &sets->others, written);
	/* In a plan nobody reads anything else. */
	if (!planned->pipeline.is_planned)
		add_flushed(runtime, written);
}

/*
 * Where that is kept, which is the same each time that the pipeline is run; NULL: it is not.  A
 * node's one thread is in the round in which this was asked before, or in the next one.
 */
static struct cape_pipeline_step *step_of(struct cape_runtime *runtime)
{
	struct cape_pipeline *pipeline = &runtime->planned->pipeline;
	const struct cape_pipeline_thread *of = pipeline->of;
	struct cape_pipeline_sets *sets = pipeline->on;

	if (runtime->threads > 1 || !pipeline->is_planned || of->now >= ROUNDS_KEPT ||
	    of->now - of->asked > 1)
		return NULL;
	if (!sets->step)
		sets->step = cape_must_reserve(runtime, 2 * ROUNDS_KEPT * sizeof(*sets->step));
	return &sets->step[2 * of->now + (of->asked == of->now)];
}

/* With --verify: what is kept is what is found. */
static void verify(struct cape_runtime *runtime, const struct cape_ranges *kept)
{
	struct cape_ranges *found = &runtime->planned->pipeline.now;

	find_written(runtime, found);
	if (found->count != kept->count ||
	    (found->count &&
	     memcmp(found->range, kept->range, found->count * sizeof(*found->range)) != 0))
		cape_fail(runtime, 0, "what a round of a pipeline writes is not what it wrote");
}

/* What was written in the rounds since this was asked last. */
static const struct cape_ranges *readable_now(struct cape_runtime *runtime)
{
	struct cape_pipeline *pipeline = &runtime->planned->pipeline;
	struct cape_pipeline_step *step;

	pipeline->asked++;
	if (is_same(runtime, pipeline))
		return pipeline->last;
	for (unsigned i = 0; i < runtime->threads; i++)
		pipeline->of[i].now = __atomic_load_n(&pipeline->of[i].rounds, __ATOMIC_ACQUIRE);
	step = step_of(runtime);
	pipeline->last = step ? &step->written : &pipeline->now;
	if (!step || !step->known)
		find_written(runtime, step ? &step->written : &pipeline->now);
	else if (runtime->channel->flags & CAPE_CHANNEL_VERIFY)
		verify(runtime, &step->written);
	if (step)
		step->known = step->written.count <= RANGES_KEPT;
	pipeline->stands = true;
	for (unsigned i = 0; i < runtime->threads; i++) {
		struct cape_pipeline_thread *of = &pipeline->of[i];

		pipeline->stands &= of->asked && of->asked == of->now;
		of->asked = of->now;
	}
	return pipeline->last;
}

/* Whether no other node writes something of RANGE. */
static bool is_own(const struct cape_runtime *runtime, struct cape_range range)
{
	const struct cape_intervals *theirs = &runtime->planned->pipeline.on->theirs;
	size_t i =
		cape_ranges_find(theirs->list, theirs->count, sizeof(*theirs->list), range.start);

	return i == theirs->count || theirs->list[i].start >= range.end;
}

static bool is_alone(struct cape_runtime *runtime, uint64_t page)
{
	return is_own(runtime, (struct cape_range){page, page + CAPE_PAGE});
}

/* What others read of it is compared with what it is now; common pages have such a base. */
static void make_base(struct cape_runtime *runtime)
{
	const struct cape_ranges *readable = &runtime->planned->pipeline.on->readable;

	for (size_t i = 0; i < readable->count; i++) {
		uint64_t at = readable->range[i].start, end = readable->range[i].end, next;
		struct cape_area *area = cape_areas_find(runtime->areas, at, end - at);

		for (; at < end; at = next) {
			unsigned char *twin;

			next = cape_page_end(at, end);
			twin = cape_area_twin(area, at, next - at);
			if (!cape_directory_is_common(runtime, (struct cape_range){at, next}))
				memcpy(twin, (const void *)(uintptr_t)at, next - at);
		}
	}
}

static void forget_steps(struct cape_pipeline_sets *sets)
{
	for (unsigned i = 0; sets->step && i < 2 * ROUNDS_KEPT; i++)
		sets->step[i].known = false;
}

/* -- questions --------------------------------------------------------------------------------- */

bool cape_readable_find(struct cape_runtime *runtime, unsigned long loop)
{
	struct cape_planned *planned = runtime->planned;
	struct cape_pipeline *pipeline = &planned->pipeline;
	struct cape_pipeline_sets *sets;
	uint64_t number;

	if (planned->failed || planned->reads_failed)
		return false;
	number = number_of(planned, loop);
	pipeline->on = sets = sets_of(pipeline, number);
	if (sets->number != number) {
		sets->number = 0;
		forget_steps(sets);
		if (!find_sets(runtime, sets) || !find_readers(runtime, sets))
			return false;
		find_both(runtime, &sets->own, &sets->others, &sets->readable);
		keep_boxes(runtime, sets, loop);
		sets->number = number;
	}
	return true;
}

void cape_readable_begin(struct cape_runtime *runtime)
{
	struct cape_pipeline *pipeline = &runtime->planned->pipeline;

	if (pipeline->is_planned)
		make_base(runtime);
	if (!pipeline->of)
		pipeline->of = cape_must_reserve(runtime, runtime->threads * sizeof(*pipeline->of));
	memset(pipeline->of, 0, runtime->threads * sizeof(*pipeline->of));
	pipeline->stands = false;
	runtime->ordering->speak(runtime);
	runtime->log->readable = readable_now;
	runtime->log->is_based = pipeline->is_planned;
	runtime->log->is_alone = is_alone;
	runtime->log->is_own = is_own;
	if (pipeline->is_planned && !pipeline->locks)
		cape_hand_on_begin(runtime, pipeline->on->readers);
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
