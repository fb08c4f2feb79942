// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * learn.c - which pages other nodes read after which sync points, as their fetches show: at the
 * next time the pages are pushed; pages that are read after other sync points only are not sent.
 */
#include <string.h>
#include "need/parts.h"

#define MIX 0x9e3779b97f4a7c15u

/* 2 to the power of it: pushes from one look at the readers to the next. */
#define READS_MOST 6u

static uint64_t bit_of(unsigned place)
{
	return 1ull << place;
}

/* Where the program is, and how it came there: a function may be called for more than one purpose.
 */
void cape_need_come_to(struct cape_need *need, const struct cape_place *place)
{
	uint64_t key = 0;
	size_t i = 0;

	need->path[0] = (uint64_t)(uintptr_t)place->file + (uint64_t)place->line;
	for (size_t past = 0; past <= CAPE_NEED_PAST; past++)
		key = (key ^ need->path[past]) * MIX;
	while (i < need->places && need->place[i].key != key)
		i++;
	if (i == CAPE_NEED_PLACES)
		i = key >> 32 & (CAPE_NEED_PLACES - 1);
	else if (i == need->places)
		need->place[need->places++] = (struct cape_need_place){.key = key, .sorted = true};
	need->at = (uint8_t)i;
}

void cape_need_settled(struct cape_need *need, bool inside)
{
	need->ended = !inside && need->in_region;
	need->in_region = inside;
	need->before = need->last;
	need->last = need->at;
	memmove(&need->path[1], need->path, CAPE_NEED_PAST * sizeof(need->path[0]));
	need->count++;
}

/*
 * After which sync point it was read.  Between one and the end of its region nobody wrote, as a
 * rule, and what is sent with the former need not be looked at again.
 */
static unsigned place_of_reading(const struct cape_need *need,
				 const struct cape_directory_page *page)
{
	bool left_before = page->learned.left == (uint8_t)(need->count - 2);

	return need->ended && left_before ? need->before : need->last;
}

void cape_need_learn(struct cape_runtime *runtime, struct cape_directory_page *page,
		     uint64_t address, unsigned reader)
{
	unsigned number = place_of_reading(runtime->need, page);
	struct cape_need_place *place = &runtime->need->place[number];

	if (page->agreed.owner != runtime->node || !runtime->need->places)
		return;
	if (!place->piece)
		place->piece = cape_must_reserve(runtime, CAPE_NEED_LIST);
	if (place->pieces == CAPE_NEED_LIST / sizeof(*place->piece))
		return;
	place->sorted &= !place->pieces || place->piece[place->pieces - 1].address < address;
	place->piece[place->pieces++] = (struct cape_need_piece){
		address, CAPE_PAGE, cape_node_set_of(reader), false, false};
	page->learned.places |= bit_of(number);
}

bool cape_need_is_read_elsewhere(const struct cape_need *need,
				 const struct cape_directory_page *page)
{
	return page->learned.places && !(page->learned.places & bit_of(need->at));
}

bool cape_need_is_doubted(const struct cape_need *need, struct cape_directory_page *page,
			  bool dense)
{
	if (page->learned.pushes) {
		page->learned.pushes--;
		return false;
	}
	if (dense)
		page->learned.places &= ~bit_of(need->at);
	return dense;
}

void cape_need_learn_read(const struct cape_runtime *runtime, struct cape_directory_page *page)
{
	bool stress = runtime->channel->flags & CAPE_CHANNEL_STRESS;
	unsigned pushes;

	page->learned.reads += page->learned.reads < READS_MOST;
	pushes = stress ? 0 : (1u << page->learned.reads) - 1;
	if (stress || page->learned.pushes < pushes)
		page->learned.pushes = (uint8_t)pushes;
}

/* What was changed since goes to the reader, and is not claimed again at once. */
void cape_need_learn_first(const struct cape_runtime *runtime, struct cape_directory_page *page)
{
	if (!(runtime->channel->flags & CAPE_CHANNEL_STRESS))
		page->learned.pushes = 1;
}

void cape_need_keep_together(struct cape_runtime *runtime, struct cape_directory_page *page)
{
	if (page->agreed.holders && page->agreed.owner == runtime->node &&
	    !(runtime->channel->flags & CAPE_CHANNEL_STRESS))
		page->learned.pushes = (1u << READS_MOST) - 1;
}

void cape_need_forget_readers(struct cape_directory_page *page)
{
	page->learned.places = 0;
	page->learned.latest = false;
}

void cape_need_learn_came(struct cape_directory_page *page)
{
	page->learned.latest = true;
}

void cape_need_learn_changed(struct cape_directory_page *page)
{
	page->learned.latest = false;
}

void cape_need_learn_left(const struct cape_need *need, struct cape_directory_page *page)
{
	page->learned.left = need->count;
}

/* A page in the order of addresses, once, with all its readers. */
static void sort(struct cape_need *need, struct cape_need_place *place)
{
	size_t remaining = 0;

	if (place->sorted)
		return;
	cape_need_sort_list(&place->piece, &need->spare, place->pieces);
	for (size_t i = 0; i < place->pieces; i++) {
		if (remaining && place->piece[remaining - 1].address == place->piece[i].address)
			place->piece[remaining - 1].destinations = cape_node_set_union(
				need->sets, place->piece[remaining - 1].destinations,
				place->piece[i].destinations);
		else
			place->piece[remaining++] = place->piece[i];
	}
	place->pieces = remaining;
	place->sorted = true;
}

/* The first piece from ADDRESS on. */
static size_t find(const struct cape_need_place *place, uint64_t address)
{
	size_t low = 0, high = place->pieces;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (place->piece[middle].address < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

void cape_need_unlearn(struct cape_need *need, struct cape_directory_page *page, uint64_t address,
		       unsigned reader)
{
	/* The report is not about what goes with this very sync point. */
	unsigned number = page->learned.pushed_with == need->count ? page->learned.pushed_before
								   : page->learned.pushed_at;
	struct cape_need_place *place = &need->place[number];
	struct cape_need_piece *piece;

	sort(need, place);
	piece = &place->piece[find(place, address)];
	if (piece == place->piece + place->pieces || piece->address != address)
		return;
	piece->destinations = cape_node_set_without(need->sets, piece->destinations, reader);
	if (!piece->destinations)
		page->learned.places &= ~bit_of(number);
}

static void push_page(struct cape_need *need, const struct cape_need_piece *piece, bool claimed)
{
	struct cape_need_list *pushed = &need->pushed;
	size_t count = pushed->count;
	struct cape_range pages = {piece->address, piece->address + CAPE_PAGE};

	/* Whether it is this node's is known when all have said what they claim. */
	if (!claimed)
		cape_need_piece_add(need, *piece);
	if (count && pushed->range[count - 1].end == pages.start &&
	    need->readers[count - 1] == piece->destinations) {
		pushed->range[count - 1].end = pages.end;
		return;
	}
	pushed->range[count] = pages;
	need->readers[count] = piece->destinations;
	pushed->count++;
}

/* False: PAGE is not pushed at this place any more. */
static bool consider(struct cape_runtime *runtime, struct cape_directory_page *page,
		     const struct cape_need_piece *piece)
{
	struct cape_need *need = runtime->need;

	if (!page || !piece->destinations || !(page->learned.places & bit_of(need->at)) ||
	    page->local.divided)
		return false;
	if ((page->agreed.holders != runtime->directory->self && !page->meeting.claiming) ||
	    page->local.common_due)
		return true;
	if (cape_need_is_doubted(need, page, true))
		return false;
	page->learned.pushed_before = page->learned.pushed_at;
	page->learned.pushed_at = need->at;
	page->learned.pushed_with = need->count;
	push_page(need, piece, page->meeting.claiming);
	return true;
}

void cape_need_push_pages(struct cape_runtime *runtime)
{
	struct cape_need *need = runtime->need;
	struct cape_need_place *place = &need->place[need->at];
	const struct cape_area *area = NULL;
	size_t remaining = 0;

	sort(need, place);
	for (size_t i = 0; i < place->pieces; i++) {
		const struct cape_need_piece *piece = &place->piece[i];

		if (!area || piece->address < area->start || piece->address >= area->end)
			area = cape_areas_find(runtime->areas, piece->address, 1);
		if (consider(runtime, area ? cape_directory_page(area, piece->address) : NULL,
			     piece))
			place->piece[remaining++] = *piece;
	}
	place->pieces = remaining;
}
