// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * known.c - the plan of a loop: the stretches of memory that its boxes are.
 */
#include <string.h>
#include "memory/directory.h"
#include "memory/shared.h"
#include "need/parts.h"
#include "planned/planned.h"
#include "profile/profile.h"
#include "system/number.h"
#include "system/ranges.h"

#define BOXES_MOST  (1u << 20)	 /* pieces of memory that the boxes of one node have */
#define PIECES_MOST 262144u	 /* that remain when those are joined that meet */
#define TINY	    8u		 /* bytes of a piece, on average, */
#define TINY_MOST   512u	 /* and of so few pieces at most */
#define BYTES_MOST  (1ull << 36) /* more than that is no memory that a node works on */
#define CROWD	    1024u	 /* pieces that are many, */
#define CROWDED	    16u		 /* with so many on each page */
#define MANY	    128u	 /* enough pieces that some cost more than to look at pages */
#define BOTH_MOST   4u		 /* pages of bytes that two nodes write */

/* -- stretches --------------------------------------------------------------------------------- */

/* It may be one with the last one, but for the first of an area. */
static void add_known(struct cape_runtime *runtime, struct cape_ranges *known, uint64_t start,
		      uint64_t end, bool first)
{
	struct cape_range *last = known->count ? &known->range[known->count - 1] : NULL;

	if (last && last->end == start && !first) {
		last->end = end;
		return;
	}
	cape_must_grow(runtime, (void **)&known->range, &known->room, known->count + 1,
		       sizeof(*known->range));
	known->range[known->count++] = (struct cape_range){start, end};
}

bool cape_plan_leaves_out(const struct cape_directory_page *page)
{
	return !page->agreed.holders && cape_directory_is_written(page);
}

static void add_in_area(struct cape_runtime *runtime, struct cape_ranges *known,
			struct cape_ranges *left, const struct cape_area *area, uint64_t start,
			uint64_t end)
{
	const struct cape_directory_page *page = cape_directory_page(area, start);

	for (uint64_t at = start, next; at < end; at = next, page++) {
		next = cape_page_end(at, end);
		if (!cape_plan_leaves_out(page))
			add_known(runtime, known, at, next, at == area->start);
		else if (left)
			add_known(runtime, left, at, next, at == area->start);
	}
}

/* The heap has addresses without end: a program may say anything of a loop. */
bool cape_plan_is_possible(const struct cape_intervals *set)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < set->count; i++) {
		uint64_t size = set->list[i].end - set->list[i].start;

		if (size > BYTES_MOST || (bytes += size) > BYTES_MOST)
			return false;
	}
	return true;
}

void cape_plan_find_known(struct cape_runtime *runtime, const struct cape_intervals *set,
			  struct cape_ranges *known, struct cape_ranges *left)
{
	known->count = 0;
	if (left)
		left->count = 0;
	cape_must_grow(runtime, (void **)&known->range, &known->room, set->count,
		       sizeof(*known->range));
	for (size_t i = 0; i < set->count; i++) {
		struct cape_range rest = {set->list[i].start, set->list[i].end}, part;
		struct cape_area *area;

		for (; rest.start < rest.end; rest.start = part.end) {
			part = cape_areas_part(runtime->areas, rest, &area);
			if (area && area->directory)
				add_in_area(runtime, known, left, area, part.start, part.end);
		}
	}
}

uint64_t cape_plan_number(const struct cape_ranges *ranges, uint64_t number)
{
	number = cape_number_mix(number, ranges->count);
	for (size_t i = 0; i < ranges->count; i++)
		number = cape_number_mix(cape_number_mix(number, ranges->range[i].start),
					 ranges->range[i].end);
	return number;
}

static uint64_t number_of(struct cape_runtime *runtime, const struct cape_plan *plan)
{
	uint64_t number = 1;

	for (unsigned node = 0; node < runtime->nodes; node++)
		number = cape_plan_number(&plan->write[node], number);
	return number;
}

static bool are_many(uint64_t count, uint64_t pages)
{
	return count > CROWD && count > CROWDED * pages;
}

/* On how many pages pieces of RANGES begin. */
static uint64_t pages_of(const struct cape_ranges *ranges)
{
	uint64_t pages = 0;

	for (size_t i = 0; i < ranges->count; i++)
		pages += !i || cape_page_floor(ranges->range[i].start) !=
				       cape_page_floor(ranges->range[i - 1].start);
	return pages;
}

/*
 * Whether most pieces of what is written begin on the page of the one before; whether most of what
 * took many rounds to tell is left out, on LEFT pages.
 */
static void weigh(struct cape_runtime *runtime, struct cape_plan *plan, uint64_t left)
{
	uint64_t pieces = 0, pages = 0;

	for (unsigned node = 0; node < runtime->nodes; node++) {
		pages += pages_of(&plan->write[node]);
		pieces += plan->write[node].count;
	}
	plan->is_crowded = are_many(pieces, pages);
	plan->is_many = pieces > MANY;
	plan->is_left = left > pages && are_many(runtime->planned->rounds, pages);
}

/* -- boxes ------------------------------------------------------------------------------------- */

/* Where pages, some at most, have bytes of both: how many. */
static unsigned find_both(const struct cape_ranges *one, const struct cape_ranges *other,
			  uint64_t at[BOTH_MOST + 1])
{
	unsigned pages = 0;

	for (size_t i = 0, j = 0; i < one->count && j < other->count && pages <= BOTH_MOST;) {
		uint64_t start = cape_greatest(one->range[i].start, other->range[j].start);
		uint64_t end = cape_least(one->range[i].end, other->range[j].end);

		for (; start < end && pages <= BOTH_MOST; start = cape_page_end(start, end))
			at[pages++] = start;
		if (one->range[i].end < other->range[j].end)
			i++;
		else
			j++;
	}
	return pages;
}

/*
 * Whether two nodes write the same bytes.  Few pages of such bytes, as those of variables that are
 * shared and used as if they were not, are left out from now on if they are common, and looked at;
 * else they become common with the next sync point.
 */
static bool meet(struct cape_runtime *runtime, const struct cape_ranges *one,
		 const struct cape_ranges *other)
{
	uint64_t at[BOTH_MOST + 1];
	unsigned pages = find_both(one, other, at);

	for (unsigned i = 0; i < pages && pages <= BOTH_MOST; i++) {
		const struct cape_area *area = cape_areas_find(runtime->areas, at[i], 1);
		struct cape_directory_page *page = cape_directory_page(area, at[i]);

		cape_directory_stay(runtime, area, at[i]);
		if (!page->agreed.holders)
			cape_plan_make_base(runtime, (struct cape_range){at[i], at[i] + 1});
		else if (page->agreed.owner == runtime->node)
			cape_need_page_set_common_due(runtime->need, page);
	}
	return pages;
}

/* Whether some of SET is memory of nodes that find_known() does not find when it leaves out. */
static bool is_apart(struct cape_runtime *runtime, const struct cape_intervals *set)
{
	for (size_t i = 0; i < set->count; i++) {
		struct cape_range rest = {set->list[i].start, set->list[i].end}, part;
		struct cape_area *area;

		for (; rest.start < rest.end; rest.start = part.end) {
			part = cape_areas_part(runtime->areas, rest, &area);
			if (area && !area->directory)
				return true;
		}
	}
	return false;
}

/* Whether all of SET that nodes exchange is in RANGES. */
static bool is_covered(struct cape_runtime *runtime, const struct cape_intervals *set,
		       const struct cape_ranges *ranges)
{
	for (size_t i = 0; i < set->count; i++) {
		struct cape_range range = {set->list[i].start, set->list[i].end};
		const struct cape_area *area = cape_areas_find(runtime->areas, range.start, 1);

		if (area && area->directory && !cape_ranges_have(ranges, range))
			return false;
	}
	return true;
}

/* Many tiny ones cost more than they save. */
static bool are_too_many(const struct cape_intervals *set)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < set->count; i++)
		bytes += set->list[i].end - set->list[i].start;
	return set->count > PIECES_MOST || (set->count > TINY_MOST && bytes / set->count < TINY);
}

/* Whether SET can be memory: what one node has allocated may not be mapped on another one yet. */
static bool is_mapped(struct cape_runtime *runtime, const struct cape_intervals *set)
{
	for (size_t i = 0; i < set->count; i++) {
		struct cape_range rest = {set->list[i].start, set->list[i].end}, part;
		struct cape_area *area;

		for (; rest.start < rest.end; rest.start = part.end) {
			part = cape_areas_part(runtime->areas, rest, &area);
			if (area &&
			    cape_shared_reach(runtime, area, part.start, part.end - part.start) < 0)
				return false;
		}
	}
	return true;
}

bool cape_plan_add_ranges(struct cape_intervals *set, const struct cape_ranges *ranges)
{
	bool all = true;

	for (size_t i = 0; i < ranges->count && all; i++)
		all = cape_intervals_add_stretch(set, ranges->range[i].start,
						 ranges->range[i].end - ranges->range[i].start) ==
		      0;
	return all;
}

/* Pointers decide, too, and lists by which something is found that is read. */
static bool add_words(const struct cape_runtime *runtime, struct cape_intervals *index)
{
	const struct cape_plan_lists *lists = runtime->planned->listing.of;
	bool all = cape_intervals_add_all(index, &runtime->planned->rows.words) == 0;

	for (unsigned node = 0; lists && node < runtime->nodes && all; node++)
		all = cape_plan_add_ranges(index, &lists->words[node]);
	return all && cape_intervals_sort(index) == 0;
}

/* Blocks of rows are one stretch each. */
static void join_rows(struct cape_runtime *runtime, struct cape_plan *plan)
{
	struct cape_intervals *writes = runtime->planned->scratch;

	for (unsigned node = 0; node < runtime->nodes; node++) {
		plan->gaps[node].count = 0;
		if (runtime->planned->rows.words.count)
			cape_plan_join_written(runtime, writes, node, &plan->gaps[node]);
	}
}

/* RANGES are in AROUND, too. */
static void widen(struct cape_range *around, const struct cape_ranges *ranges)
{
	if (!ranges->count)
		return;
	around->start = cape_least(around->start, ranges->range[0].start);
	around->end = cape_greatest(around->end, ranges->range[ranges->count - 1].end);
}

/* What was described: what each node writes, and then what decides. */
static enum cape_planning take_boxes(struct cape_runtime *runtime)
{
	struct cape_planned *planned = runtime->planned;
	struct cape_intervals *writes = planned->scratch, *index = &writes[runtime->nodes];
	uint64_t pieces = 0;

	cape_intervals_empty(index);
	if (!cape_plan_add_plain(index, &planned->plain.index))
		return CAPE_UNPLANNED_PARTS;
	for (unsigned node = 0; node < runtime->nodes; node++) {
		cape_intervals_empty(&writes[node]);
		if (!cape_plan_add_plain(&writes[node], &planned->plain.writes[node]))
			return CAPE_UNPLANNED_PARTS;
	}
	for (size_t i = 0; i < planned->described_count; i++) {
		const struct cape_described *described = &planned->described[i];
		bool is_written = cape_set_is_written(described->set);

		if (!is_written && described->set != CAPE_SET_INDEX)
			continue;
		pieces += cape_box_pieces(&described->box);
		if (pieces > (uint64_t)BOXES_MOST * runtime->nodes ||
		    cape_intervals_add(is_written ? &writes[described->node] : index,
				       &described->box) < 0)
			return CAPE_UNPLANNED_PARTS;
	}
	for (unsigned node = 0; node <= runtime->nodes; node++)
		if (cape_intervals_sort(&writes[node]) < 0)
			return CAPE_UNPLANNED_PARTS;
	return CAPE_PLANNED;
}

/* Whether SET can be what a node writes, or what decides. */
static bool can_be(struct cape_runtime *runtime, const struct cape_intervals *set)
{
	return cape_plan_is_possible(set) && is_mapped(runtime, set);
}

/* The same with pointers and lists, and with blocks of rows as one. */
static enum cape_planning take_sets(struct cape_runtime *runtime, struct cape_plan *plan)
{
	struct cape_planned *planned = runtime->planned;
	struct cape_intervals *writes = planned->scratch, *index = &writes[runtime->nodes];
	enum cape_planning use = take_boxes(runtime);

	if (use != CAPE_PLANNED)
		return use;
	if (runtime->need->divided.sends && !is_covered(runtime, index, &planned->needs))
		return CAPE_UNPLANNED_LISTS;
	if (!add_words(runtime, index))
		return CAPE_UNPLANNED_PARTS;
	join_rows(runtime, plan);
	planned->inside = cape_plan_is_inside(runtime, plan);
	for (unsigned node = 0; node < runtime->nodes; node++)
		if ((!planned->inside && !can_be(runtime, &writes[node])) ||
		    are_too_many(&writes[node]))
			return CAPE_UNPLANNED_PARTS;
	return can_be(runtime, index) ? CAPE_PLANNED : CAPE_UNPLANNED_PARTS;
}

/* What NODE writes, unless others do, too; on how many pages is left out what one does. */
static bool find_writes_of(struct cape_runtime *runtime, struct cape_plan *plan, unsigned node,
			   uint64_t *left_pages)
{
	struct cape_planned *planned = runtime->planned;
	const struct cape_intervals *writes = &planned->scratch[node];
	struct cape_ranges *left = node == runtime->node ? &plan->left : &planned->left_of_other;

	cape_plan_find_known(runtime, writes, &plan->write[node], left);
	widen(&plan->around, left);
	*left_pages += pages_of(left);
	plan->leaves |= left->count || is_apart(runtime, writes);
	for (unsigned other = 0; other < node; other++)
		if (meet(runtime, &plan->write[node], &plan->write[other]))
			return false;
	return true;
}

/* The same where each node writes what it wrote last, or a part. */
static void take_writes_of(struct cape_runtime *runtime, struct cape_plan *plan, unsigned node)
{
	const struct cape_intervals *writes = &runtime->planned->scratch[node];
	struct cape_ranges *write = &plan->write[node];

	cape_must_grow(runtime, (void **)&write->range, &write->room, writes->count,
		       sizeof(*write->range));
	for (size_t i = 0; i < writes->count; i++)
		write->range[i] = (struct cape_range){writes->list[i].start, writes->list[i].end};
	write->count = writes->count;
	plan->left.count = 0;
}

/* Under --verify it is found out all the same, and must come to the same. */
static void check_writes_of(struct cape_runtime *runtime, struct cape_plan *plan, unsigned node,
			    uint64_t *left_pages)
{
	const struct cape_intervals *writes = &runtime->planned->scratch[node];
	const struct cape_ranges *write = &plan->write[node];
	bool same = find_writes_of(runtime, plan, node, left_pages) && !plan->leaves &&
		    write->count == writes->count;

	for (size_t i = 0; i < writes->count && same; i++)
		same = write->range[i].start == writes->list[i].start &&
		       write->range[i].end == writes->list[i].end;
	if (!same)
		cape_fail(runtime, 0,
			  "what the loop at %s:%d writes is not a part of what was written before: "
			  "please report that, and build the program with --no-plan",
			  plan->place->file, plan->place->line);
}

/* What each node writes. */
static enum cape_planning find_writes(struct cape_runtime *runtime, struct cape_plan *plan,
				      uint64_t *left_pages)
{
	struct cape_planned *planned = runtime->planned;
	struct cape_intervals *writes = planned->scratch, *index = &writes[runtime->nodes];
	enum cape_planning use = take_sets(runtime, plan);

	for (unsigned node = 0; node < runtime->nodes && use == CAPE_PLANNED; node++) {
		if (cape_intervals_meet(&writes[node], index))
			return CAPE_UNPLANNED_BYTES;
		if (planned->inside && runtime->channel->flags & CAPE_CHANNEL_VERIFY)
			check_writes_of(runtime, plan, node, left_pages);
		else if (planned->inside)
			take_writes_of(runtime, plan, node);
		else if (!find_writes_of(runtime, plan, node, left_pages))
			return CAPE_UNPLANNED_BYTES;
		widen(&plan->around, &plan->write[node]);
	}
	return use;
}

/* It is PLAN's from now on. */
static void find_writes_of_now(struct cape_runtime *runtime, struct cape_plan *plan,
			       const struct cape_place *place)
{
	uint64_t stays, left;

	plan->place = place;
	plan->learned.count = 0;
	/* Once more without the pages that turn out to be left out. */
	do {
		stays = runtime->directory->stays;
		left = 0;
		plan->leaves = runtime->planned->inside = false;
		plan->around = (struct cape_range){UINT64_MAX, 0};
		plan->use = find_writes(runtime, plan, &left);
	} while (plan->use == CAPE_UNPLANNED_BYTES && runtime->directory->stays != stays);
	plan->known = number_of(runtime, plan);
	weigh(runtime, plan, left);
	plan->stays = stays;
	plan->tables = plan->within = 0;
	plan->writes = runtime->planned->writes;
	plan->number = cape_number_mix(cape_number_mix(cape_number_mix(1, stays), (uintptr_t)place),
				       plan->writes);
	cape_plan_kept(runtime, plan);
}

struct cape_plan *cape_plan_find(struct cape_runtime *runtime, const struct cape_place *place)
{
	struct cape_planned *planned = runtime->planned;
	const struct cape_plan_key *again = planned->again;
	bool same = true;
	struct cape_plan *plan = again ? again->plan : cape_plan_of(runtime, place, &same);

	plan->again = same;
	plan->where = planned->where;
	if (!same)
		find_writes_of_now(runtime, plan, place);
	if (plan->use == CAPE_PLANNED) {
		plan->with = again ? again->with : cape_plan_find_reads(runtime, plan);
		if (same)
			cape_profile_planning(runtime, CAPE_PLANNED_AGAIN);
	}
	return plan;
}

bool cape_plan_writes(const struct cape_runtime *runtime, const struct cape_plan *plan,
		      struct cape_range range)
{
	if (range.end <= plan->around.start || range.start >= plan->around.end)
		return false;
	for (unsigned node = 0; node < runtime->nodes; node++) {
		const struct cape_ranges *write = &plan->write[node];
		size_t after = cape_ranges_find(write->range, write->count, sizeof(*write->range),
						range.start);

		if (after < write->count && write->range[after].start < range.end)
			return true;
	}
	return false;
}
