// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * learn.c - what other nodes read behind which sync points, as their fetches told: the next time
 * that the program is there they are given it, and where they read it elsewhere it is not sent.
 */
#include <string.h>
#include "need/parts.h"

#define MIX 0x9e3779b97f4a7c15u

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
 * Behind which sync point it was read.  Between one and the end of its region nobody wrote, as a
 * rule, and what is sent with the former need not be looked at again.
 */
static unsigned place_of_reading(const struct cape_need *need,
				 const struct cape_directory_page *page)
{
	bool left_before = page->left == (uint8_t)(need->count - 2);

	return need->ended && left_before ? need->before : need->last;
}

void cape_need_learn(struct cape_runtime *runtime, struct cape_directory_page *page,
		     uint64_t address, unsigned reader)
{
	unsigned number = place_of_reading(runtime->need, page);
	struct cape_need_place *place = &runtime->need->place[number];

	if (page->owner != runtime->node || !runtime->need->places)
		return;
	if (!place->piece)
		place->piece = cape_must_reserve(runtime, CAPE_NEED_LIST);
	if (place->pieces == CAPE_NEED_LIST / sizeof(*place->piece))
		return;
	place->sorted &= !place->pieces || place->piece[place->pieces - 1].address < address;
	place->piece[place->pieces++] =
		(struct cape_need_piece){address, CAPE_PAGE, 1ull << reader, false, false};
	page->learned |= bit_of(number);
}

bool cape_need_is_vain(const struct cape_need *need, const struct cape_directory_page *page)
{
	return page->learned && !(page->learned & bit_of(need->at));
}

void cape_need_doubt(const struct cape_need *need, struct cape_directory_page *page)
{
	page->learned &= ~bit_of(need->at);
}

/* A page in the order of addresses, once, with all its readers. */
static void sort(struct cape_need *need, struct cape_need_place *place)
{
	size_t kept = 0;

	if (place->sorted)
		return;
	cape_need_sort_list(&place->piece, &need->spare, place->pieces);
	for (size_t i = 0; i < place->pieces; i++) {
		if (kept && place->piece[kept - 1].address == place->piece[i].address)
			place->piece[kept - 1].destinations |= place->piece[i].destinations;
		else
			place->piece[kept++] = place->piece[i];
	}
	place->pieces = kept;
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
	/* What is told of is not what goes with this very sync point. */
	unsigned number = page->given_with == need->count ? page->given_before : page->given_at;
	struct cape_need_place *place = &need->place[number];
	struct cape_need_piece *piece;

	sort(need, place);
	piece = &place->piece[find(place, address)];
	if (piece == place->piece + place->pieces || piece->address != address)
		return;
	piece->destinations &= ~(1ull << reader);
	if (!piece->destinations)
		page->learned &= ~bit_of(number);
}

static void give_page(struct cape_need *need, const struct cape_need_piece *piece, bool claimed)
{
	struct cape_need_list *given = &need->given;
	size_t count = given->count;
	struct cape_range pages = {piece->address, piece->address + CAPE_PAGE};

	/* Whether it is this node's will be known when all have told what they claim. */
	if (!claimed)
		cape_need_piece_add(need, *piece);
	if (count && given->range[count - 1].end == pages.start &&
	    need->readers[count - 1] == piece->destinations) {
		given->range[count - 1].end = pages.end;
		return;
	}
	given->range[count] = pages;
	need->readers[count] = piece->destinations;
	given->count++;
}

/* False: PAGE is not given at this place any more. */
static bool consider(struct cape_runtime *runtime, struct cape_directory_page *page,
		     const struct cape_need_piece *piece)
{
	struct cape_need *need = runtime->need;

	if (!page || !piece->destinations || !(page->learned & bit_of(need->at)))
		return false;
	if ((page->holders != runtime->directory->self && !page->claiming) || page->wanted)
		return true;
	if (!page->pushes) {
		cape_need_doubt(need, page);
		return false;
	}
	page->pushes--;
	page->given_before = page->given_at;
	page->given_at = need->at;
	page->given_with = need->count;
	give_page(need, piece, page->claiming);
	return true;
}

void cape_need_give(struct cape_runtime *runtime)
{
	struct cape_need *need = runtime->need;
	struct cape_need_place *place = &need->place[need->at];
	const struct cape_area *area = NULL;
	size_t kept = 0;

	sort(need, place);
	for (size_t i = 0; i < place->pieces; i++) {
		const struct cape_need_piece *piece = &place->piece[i];

		if (!area || piece->address < area->start || piece->address >= area->end)
			area = cape_areas_find(runtime->areas, piece->address, 1);
		if (consider(runtime, area ? cape_directory_page(area, piece->address) : NULL,
			     piece))
			place->piece[kept++] = *piece;
	}
	place->pieces = kept;
}
