// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * foresee.c - what a program that reads in some order reads next: the following pages; pieces of
 * memory in equal distances, as in a column of a matrix; and what follows each of these.
 *
 * What is fetched beyond the page that is needed becomes more as long as the program comes to it:
 * there are 2, 4, 8 ... more pieces each time, and pieces become longer by 1, 1, 2, 2, 4 ... pages.
 */
#include "channel/fetch.h"
#include "need/parts.h"

#define WINDOW_MOST 256u  /* pages by which a piece becomes longer, */
#define PAGES_MOST  1024u /* and all pieces of a walk */
#define MORE_MOST   256u  /* pieces at a time */
#define PIECES_MOST CAPE_FETCH_STRETCHES
#define SKIPS_MOST  4096u
#define FIRST_STEP  8u /* of a walk that begins again: such a part of the last */
#define GAP_MOST    2u /* pages between pieces that come with them, where memory is read */

static bool is_in(const struct cape_area *area, uint64_t address)
{
	return address >= area->start && address < area->end;
}

static uint64_t piece_at(const struct cape_need_walk *walk, uint64_t which)
{
	return walk->first + which * (uint64_t)walk->stride;
}

static uint64_t distance_of(const struct cape_need_walk *walk)
{
	return (uint64_t)(walk->stride < 0 ? -walk->stride : walk->stride);
}

/* Whether ADDRESS is where a piece of it ends. */
static bool is_end(const struct cape_need_walk *walk, uint64_t address)
{
	int64_t distance = (int64_t)(address - walk->first - walk->length);

	if (!walk->stride)
		return walk->length && !distance;
	if (walk->length >= distance_of(walk))
		return false;
	return distance % walk->stride == 0 && distance / walk->stride >= 0 &&
	       (uint64_t)(distance / walk->stride) < walk->pieces;
}

static bool is_next(const struct cape_need_walk *walk, uint64_t address)
{
	return walk->stride && piece_at(walk, walk->pieces) == address;
}

/* Whether ADDRESS is in a piece of it: what was fetched is stale again. */
static bool is_within(const struct cape_need_walk *walk, uint64_t address)
{
	uint64_t distance = distance_of(walk), which = 0;

	if (walk->stride > 0 && address > walk->first)
		which = (address - walk->first) / distance;
	else if (walk->stride < 0 && address < walk->first)
		which = (walk->first - address + distance - 1) / distance;
	return which < walk->pieces && address - piece_at(walk, which) < walk->length;
}

/* The walk used last for which IS is true, or NULL. */
static struct cape_need_walk *find(struct cape_need *need, uint64_t address,
				   bool (*is)(const struct cape_need_walk *walk, uint64_t address))
{
	struct cape_need_walk *found = NULL;

	for (size_t i = 0; i < CAPE_NEED_WALKS; i++)
		if ((!found || need->walk[i].used > found->used) && is(&need->walk[i], address))
			found = &need->walk[i];
	return found;
}

static struct cape_need_walk *oldest(struct cape_need *need)
{
	struct cape_need_walk *walk = &need->walk[0];

	for (size_t i = 1; i < CAPE_NEED_WALKS; i++)
		if (need->walk[i].used < walk->used)
			walk = &need->walk[i];
	return walk;
}

static bool begins_at(const struct cape_need_walk *walk, uint64_t address)
{
	return walk->length && walk->first == address;
}

/* A walk of two pieces, which others began with, as far from each other as the next is ADDRESS. */
static struct cape_need_walk *find_stride(struct cape_need *need, const struct cape_area *area,
					  uint64_t address)
{
	const struct cape_need_walk *before = NULL;
	struct cape_need_walk *walk;

	for (size_t i = 0; i < CAPE_NEED_WALKS; i++) {
		const struct cape_need_walk *one = &need->walk[i];
		uint64_t first = 2 * one->first - address;

		if (is_in(area, one->first) && one->first != address && is_in(area, first) &&
		    find(need, first, begins_at) && (!before || one->used > before->used))
			before = one;
	}
	if (!before)
		return NULL;
	walk = oldest(need);
	*walk = (struct cape_need_walk){
		.first = 2 * before->first - address,
		.length = before->length,
		.stride = (int64_t)(address - before->first),
		.pieces = 2,
		.more = 1,
		.owner = need->plan.owner,
	};
	return walk;
}

static bool add(struct cape_runtime *runtime, const struct cape_area *area, uint64_t start,
		uint64_t length)
{
	return cape_need_plan_add(runtime, area, (struct cape_range){start, start + length});
}

/*
 * What is fetched for a piece whose first LENGTH bytes are needed: all up to the next one where
 * pieces lie close together, for each costs the kernel more than some pages do.
 */
static uint64_t with_gap(const struct cape_runtime *runtime, const struct cape_need_walk *walk,
			 uint64_t length)
{
	uint64_t distance = distance_of(walk);

	if (!walk->stride)
		return length;
	if (length >= distance)
		return distance;
	if (!cape_node_bits_have(&runtime->need->reads, walk->owner) ||
	    distance - length > GAP_MOST * CAPE_PAGE)
		return length;
	return distance;
}

/* All pieces become longer. */
static void lengthen(struct cape_runtime *runtime, const struct cape_area *area,
		     struct cape_need_walk *walk)
{
	uint64_t most = PAGES_MOST / walk->pieces, length;

	if (most > WINDOW_MOST)
		most = WINDOW_MOST;
	if (walk->second)
		walk->window *= 2;
	if (walk->window > most)
		walk->window = most;
	walk->second = !walk->second;
	length = with_gap(runtime, walk, walk->length + walk->window * CAPE_PAGE);
	for (uint64_t i = 0; i < walk->pieces; i++)
		if (!add(runtime, area, piece_at(walk, i) + walk->length, length - walk->length))
			break;
	walk->length = length;
}

/* Whether the page of ADDRESS is another's than the plan's. */
static bool is_elsewhere(const struct cape_runtime *runtime, const struct cape_area *area,
			 uint64_t address)
{
	return !cape_directory_is_here(runtime, area, address) &&
	       cape_directory_page(area, address)->agreed.owner != runtime->need->plan.owner;
}

/* There are more pieces, all of one owner. */
static void go_on(struct cape_runtime *runtime, const struct cape_area *area,
		  struct cape_need_walk *walk)
{
	uint64_t length = with_gap(runtime, walk, walk->length), end, next;

	if (walk->owner != runtime->need->plan.owner || walk->pieces == PIECES_MOST) {
		walk->first = piece_at(walk, walk->pieces);
		walk->pieces = 0;
		walk->more = walk->owner == runtime->need->plan.owner ? walk->more : 1;
		walk->owner = runtime->need->plan.owner;
	}
	if (walk->more < MORE_MOST)
		walk->more *= 2;
	end = walk->pieces + walk->more < PIECES_MOST ? walk->pieces + walk->more : PIECES_MOST;
	for (; walk->pieces < end; walk->pieces++) {
		next = piece_at(walk, walk->pieces);
		if (!is_in(area, next) || is_elsewhere(runtime, area, next) ||
		    !add(runtime, area, next, length))
			break;
	}
	for (uint32_t i = 0; i < SKIPS_MOST && walk->pieces < PIECES_MOST; i++) {
		next = piece_at(walk, walk->pieces);
		if (!is_in(area, next) || !cape_directory_is_here(runtime, area, next))
			break;
		walk->pieces++;
	}
	/* The first may have been more than a fetch has room for. */
	if (!walk->pieces)
		walk->pieces = 1;
}

/* From ADDRESS on, and sooner in large steps than the first time. */
static void begin_again(const struct cape_runtime *runtime, struct cape_need_walk *walk,
			uint64_t address)
{
	walk->first = address;
	walk->more = walk->pieces < FIRST_STEP ? 1 : walk->pieces / FIRST_STEP;
	walk->window /= FIRST_STEP;
	walk->pieces = 1;
	walk->owner = runtime->need->plan.owner;
	if (!walk->stride)
		walk->length = CAPE_PAGE;
}

void cape_need_foresee(struct cape_runtime *runtime, const struct cape_area *area, uint64_t address)
{
	struct cape_need *need = runtime->need;
	struct cape_need_walk *walk;

	add(runtime, area, address, CAPE_PAGE);
	if (runtime->channel->flags & CAPE_CHANNEL_STRESS)
		return;
	if ((walk = find(need, address, is_end))) {
		lengthen(runtime, area, walk);
	} else if ((walk = find(need, address, is_next)) ||
		   (walk = find_stride(need, area, address))) {
		go_on(runtime, area, walk);
	} else if ((walk = find(need, address, is_within))) {
		begin_again(runtime, walk, address);
		add(runtime, area, address, with_gap(runtime, walk, walk->length));
	} else {
		walk = oldest(need);
		*walk = (struct cape_need_walk){.first = address,
						.length = CAPE_PAGE,
						.pieces = 1,
						.owner = need->plan.owner};
	}
	if (!walk->window)
		walk->window = 1;
	walk->used = ++need->walks;
}
