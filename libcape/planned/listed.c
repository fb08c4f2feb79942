// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * listed.c - while a node goes through its own iterations (lists.c): the words of memory that it
 * looks up, and what the loop will read, as bits of pages.
 */
#include <string.h>
#include "memory/area.h"
#include "memory/directory.h"
#include "memory/shared.h"
#include "planned/planned.h"
#include "system/libc.h"
#include "system/ranges.h"

#define WORD	    sizeof(uint64_t)
#define PAGES_MOST  (1u << 18)	/* that have something of what is looked up or read */
#define SLOTS	    (2u << 18)	/* where they are looked for */
#define PIECES_MOST (1u << 24)	/* of one access */
#define ROUNDS_MOST (1ul << 30) /* of one node */
#define GAP	    64u		/* bytes between what is read, of which all may come */

/* Until the run time starts there is none. */
static const unsigned long none[CAPE_PLAN_LATEST];
CAPE_EXPORT const unsigned long *cape_plan_latest = none;

/* The place of what the page at START has, or of nothing. */
static uint32_t *slot_of(struct cape_plan_listing *listing, uint64_t start)
{
	uint64_t slot = (start / CAPE_PAGE * 0x9e3779b97f4a7c15u >> 40) % SLOTS;

	while (listing->slot[slot] && listing->page[listing->slot[slot] - 1].address != start)
		slot = (slot + 1) % SLOTS;
	return &listing->slot[slot];
}

static struct cape_plan_list_page *page_of(struct cape_runtime *runtime, uint64_t address)
{
	struct cape_plan_listing *listing = &runtime->planned->listing;
	uint64_t start = cape_page_floor(address);
	unsigned *last = &listing->last[start / CAPE_PAGE % CAPE_PLAN_ROW_PAGES];
	uint32_t *slot;

	if (*last < listing->pages && listing->page[*last].address == start)
		return &listing->page[*last];
	if (!listing->slot)
		listing->slot = cape_must_reserve(runtime, SLOTS * sizeof(*slot));
	slot = slot_of(listing, start);
	if (!*slot) {
		if (listing->pages == PAGES_MOST)
			return NULL;
		cape_must_grow(runtime, (void **)&listing->page, &listing->room, listing->pages + 1,
			       sizeof(*listing->page));
		listing->page[listing->pages++] = (struct cape_plan_list_page){.address = start};
		*slot = listing->pages;
	}
	*last = *slot - 1;
	return &listing->page[*last];
}

void cape_plan_list_begin(struct cape_plan_listing *listing)
{
	for (unsigned i = listing->pages; i > 0; i--)
		*slot_of(listing, listing->page[i - 1].address) = 0;
	cape_plan_latest = listing->latest;
	listing->pages = 0;
	listing->on = true;
	listing->failed = false;
	listing->rounds = 0;
}

void cape_plan_list_end(struct cape_plan_listing *listing)
{
	memset(listing->latest, 0, sizeof(listing->latest));
	listing->on = false;
}

/* Memory that nodes exchange can be read if it remains mapped; other memory if it is there. */
static bool can_be_read(struct cape_runtime *runtime, uint64_t address)
{
	const struct cape_area *area = cape_areas_find(runtime->areas, address, 1);
	unsigned char byte;

	if (!area || !area->directory)
		return cape_copy_if_there(&byte, (const void *)address, 1) == 1;
	return area->kind == CAPE_AREA_STATIC ||
	       (area->kind == CAPE_AREA_HEAP &&
		cape_shared_reach(runtime, area, cape_page_floor(address), CAPE_PAGE) >= 0);
}

/* The word that has ADDRESS.  Most are looked up again at once, as pointers to lists are. */
static bool note_word(struct cape_runtime *runtime, uint64_t address)
{
	uint64_t number = address / WORD + 1, word = address % CAPE_PAGE / WORD;
	unsigned long *latest = &runtime->planned->listing.latest[number % CAPE_PLAN_LATEST];
	struct cape_plan_list_page *page;

	if (*latest == number)
		return true;
	page = page_of(runtime, address);
	if (!page || (!page->is_readable && !can_be_read(runtime, address)))
		return false;
	page->is_readable = true;
	page->word[word / 64] |= 1ull << word % 64;
	*latest = number;
	return true;
}

unsigned long cape_plan_list_word(struct cape_runtime *runtime, unsigned long address,
				  unsigned long size)
{
	static const uint64_t nothing;
	struct cape_plan_listing *listing = &runtime->planned->listing;

	if (!listing->failed && note_word(runtime, address) &&
	    note_word(runtime, address + size - 1))
		return address;
	listing->failed = true;
	return (unsigned long)&nothing;
}

static bool note_read(struct cape_runtime *runtime, uint64_t start, uint64_t end)
{
	for (uint64_t at = start; at < end; at = cape_page_end(at, end)) {
		struct cape_plan_list_page *page = page_of(runtime, at);
		uint64_t last = (cape_page_end(at, end) - 1) % CAPE_PAGE / WORD;

		if (!page)
			return false;
		for (uint64_t word = at % CAPE_PAGE / WORD; word <= last; word++)
			page->read[word / 64] |= 1ull << word % 64;
	}
	return true;
}

static bool note_box(struct cape_runtime *runtime, const struct cape_box *box, uint64_t at,
		     unsigned dimension)
{
	const struct cape_dimension *last = &box->dimension[dimension];
	bool all = true;

	if (dimension == box->dimensions)
		return note_read(runtime, at, at + box->size);
	if (dimension + 1 == box->dimensions && last->stride == (int64_t)box->size)
		return note_read(runtime, at, at + last->count * box->size);
	for (uint64_t i = 0; i < box->dimension[dimension].count && all; i++)
		all = note_box(runtime, box, at + i * (uint64_t)box->dimension[dimension].stride,
			       dimension + 1);
	return all;
}

static bool has_few_pieces(const struct cape_box *box)
{
	uint64_t pieces = 1;

	for (unsigned i = 0; i < box->dimensions && pieces <= PIECES_MOST; i++)
		pieces = box->dimension[i].count > PIECES_MOST ? PIECES_MOST + 1
							       : pieces * box->dimension[i].count;
	return pieces <= PIECES_MOST;
}

void cape_plan_list_box(struct cape_runtime *runtime, const struct cape_box *box)
{
	struct cape_plan_listing *listing = &runtime->planned->listing;

	listing->failed = listing->failed || !box || !has_few_pieces(box) ||
			  !note_box(runtime, box, box->at, 0);
}

bool cape_plan_list_round(struct cape_plan_listing *listing)
{
	listing->failed |= ++listing->rounds > ROUNDS_MOST;
	return !listing->failed;
}

/* -- in order ---------------------------------------------------------------------------------- */

bool cape_plan_add_words(struct cape_intervals *set, uint64_t address, const uint64_t bits[8])
{
	bool all = true;

	for (uint64_t from = 0, to; from < CAPE_PAGE / WORD; from = to + 1) {
		for (to = from; to < CAPE_PAGE / WORD && bits[to / 64] & 1ull << to % 64;)
			to++;
		if (to > from)
			all &= cape_intervals_add_stretch(set, address + from * WORD,
							  (to - from) * WORD) == 0;
	}
	return all;
}

/* Stretches become one where little is between them, until there are few. */
static void join(struct cape_intervals *set, uint64_t gap, size_t most)
{
	do {
		size_t kept = 0;

		for (size_t i = 1; i < set->count; i++) {
			if (set->list[i].start - set->list[kept].end <= gap)
				set->list[kept].end = set->list[i].end;
			else
				set->list[++kept] = set->list[i];
		}
		if (set->count)
			set->count = kept + 1;
		gap = gap ? 4 * gap : WORD;
	} while (set->count > most);
}

bool cape_plan_list_collect(struct cape_plan_listing *listing, struct cape_intervals *words)
{
	struct cape_intervals *reads = &words[1];
	bool all = true;

	cape_intervals_empty(words);
	cape_intervals_empty(reads);
	for (unsigned i = 0; i < listing->pages && all; i++) {
		struct cape_plan_list_page *page = &listing->page[i];

		/* What is looked up is read. */
		for (unsigned j = 0; j < sizeof(page->word) / sizeof(*page->word); j++)
			page->read[j] |= page->word[j];
		all = cape_plan_add_words(words, page->address, page->word) &&
		      cape_plan_add_words(reads, page->address, page->read);
	}
	if (!all || cape_intervals_sort(words) < 0 || cape_intervals_sort(reads) < 0)
		return false;
	join(words, 0, CAPE_PLAN_LIST_SENT);
	join(reads, GAP, CAPE_PLAN_LIST_SENT);
	return true;
}
