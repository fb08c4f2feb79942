// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * rows.c - pointers in memory by which a loop's sets are found: lists of rows.
 *
 * While sets are described each of these is read here: it comes first, and which words were read is
 * noted.  These are a part of the loop's key: where they hold what they held then, the sets are the
 * same.  That need not be looked at as long as nothing has run since but loops that write elsewhere
 * (tables.c).  What the loop itself writes of them it must not look at (known.c).
 */
#include "memory/area.h"
#include "memory/directory.h"
#include "memory/shared.h"
#include "need/divided.h"
#include "need/parts.h"
#include "openmp/team.h"
#include "planned/planned.h"
#include "system/libc.h"
#include "system/number.h"
#include "system/ranges.h"

#define WORD	   sizeof(uint64_t)
#define PAGES_MOST 65536u /* of such words, for one loop */
#define LANES	   4u	  /* words that are mixed side by side */

/* -- what is read ------------------------------------------------------------------------------ */

/* What AREA has of COUNT ranges, in their order, is to come. */
static void want(struct cape_runtime *runtime, const struct cape_area *area,
		 const struct cape_range *range, size_t count)
{
	struct cape_ranges *wanted = &runtime->planned->rows.wanted;

	for (size_t i = 0; i < count; i++) {
		struct cape_range in = {cape_greatest(area->start, range[i].start),
					cape_least(area->end, range[i].end)};

		if (in.start >= in.end)
			continue;
		cape_must_grow(runtime, (void **)&wanted->range, &wanted->room, wanted->count + 1,
			       sizeof(in));
		wanted->range[wanted->count++] = in;
	}
}

/* What one node has allocated may not be mapped on another one yet. */
static bool is_mapped(struct cape_runtime *runtime, struct cape_range range)
{
	const struct cape_area *area = cape_areas_find(runtime->areas, range.start, 1);

	return cape_shared_reach(runtime, area, range.start, range.end - range.start) == 0;
}

/* Whether all nodes do the same now.  Each describes by itself a pipeline that is not planned. */
static bool is_together(const struct cape_planned *planned)
{
	return !planned->spread && (!planned->pipeline.describing || planned->pipeline.is_planned);
}

/* COUNT ranges are here, or come where they may; false: they cannot. */
static bool bring(struct cape_runtime *runtime, const struct cape_range *range, size_t count)
{
	const struct cape_planned *planned = runtime->planned;
	struct cape_ranges *wanted = &runtime->planned->rows.wanted;
	size_t left = 0;

	wanted->count = 0;
	for (size_t i = 0; i < runtime->areas->count; i++)
		if (runtime->areas->area[i].directory)
			want(runtime, &runtime->areas->area[i], range, count);
	if (!planned->spread && !runtime->need->divided.sends) {
		cape_divided_copy(runtime, wanted->range, wanted->count);
		return true;
	}
	for (size_t i = 0; i < wanted->count; i++) {
		if (cape_directory_is_common(runtime, wanted->range[i]))
			continue;
		if (!is_together(planned) || !is_mapped(runtime, wanted->range[i]))
			return false;
		wanted->range[left++] = wanted->range[i];
	}
	if (left)
		cape_divided_bring_to_all(runtime, wanted->range, left);
	return true;
}

/* Where the run time alone says what is mapped: it remains. */
static bool is_plain(const struct cape_runtime *runtime, struct cape_range range)
{
	const struct cape_area *area =
		cape_areas_find(runtime->areas, range.start, range.end - range.start);

	return area && (area->kind == CAPE_AREA_STATIC || area->kind == CAPE_AREA_HEAP);
}

/* The record of the page that has ADDRESS, which can be read; NULL: it cannot. */
static struct cape_plan_row_page *page_of(struct cape_runtime *runtime, uint64_t address)
{
	struct cape_plan_rows_read *rows = &runtime->planned->rows;
	uint64_t start = cape_page_floor(address);
	unsigned *at = &rows->at[start / CAPE_PAGE % CAPE_PLAN_ROW_PAGES];
	unsigned char byte;

	if (*at < rows->pages && rows->page[*at].address == start)
		return &rows->page[*at];
	if (rows->pages == PAGES_MOST ||
	    !bring(runtime, &(struct cape_range){start, start + CAPE_PAGE}, 1) ||
	    cape_copy_if_there(&byte, (const void *)address, 1) != 1)
		return NULL;
	cape_must_grow(runtime, (void **)&rows->page, &rows->room, rows->pages + 1,
		       sizeof(*rows->page));
	*at = rows->pages++;
	rows->page[*at] = (struct cape_plan_row_page){.address = start};
	return &rows->page[*at];
}

static bool note(struct cape_runtime *runtime, uint64_t address)
{
	struct cape_plan_row_page *page = page_of(runtime, address);
	uint64_t word = address % CAPE_PAGE / WORD;

	if (page)
		page->read[word / 64] |= 1ull << word % 64;
	return page;
}

bool cape_plan_was_needed(const struct cape_planned *planned, struct cape_range range)
{
	return cape_ranges_have(&planned->needs, range);
}

CAPE_EXPORT unsigned long cape_plan_row_at(unsigned long address, unsigned long size)
{
	static const uint64_t nothing;
	struct cape_runtime *runtime = cape_runtime_get();
	struct cape_planned *planned = runtime->planned;

	if (planned->listing.on)
		return cape_plan_list_word(runtime, address, size);
	if (!planned->failed && note(runtime, address) && note(runtime, address + size - 1))
		return address;
	/* What it leads to may be looked at. */
	if (cape_plan_was_needed(planned, (struct cape_range){address, address + size}))
		return address;
	planned->rows.lacks |= !planned->failed;
	planned->failed = true;
	planned->reads_failed |= planned->spread;
	return (unsigned long)&nothing;
}

/* -- all have been read ------------------------------------------------------------------------ */

void cape_plan_rows_begin(struct cape_planned *planned)
{
	planned->rows.pages = 0;
	planned->rows.lacks = false;
	cape_intervals_empty(&planned->rows.words);
}

void cape_plan_rows_end(struct cape_planned *planned)
{
	struct cape_intervals *words = &planned->rows.words;

	for (unsigned i = 0; i < planned->rows.pages; i++)
		planned->failed |= !cape_plan_add_words(words, planned->rows.page[i].address,
							planned->rows.page[i].read);
	planned->failed |= cape_intervals_sort(words) < 0;
	for (size_t i = 0; i < words->count; i++)
		planned->writes = cape_number_mix(
			cape_number_mix(planned->writes, words->list[i].start), words->list[i].end);
}

/* -- what they hold ---------------------------------------------------------------------------- */

static void mix(uint64_t lane[LANES], const uint64_t *word, uint64_t count)
{
	uint64_t i = 0;

	for (; i + LANES <= count; i += LANES)
		for (unsigned j = 0; j < LANES; j++)
			lane[j] = cape_number_mix(lane[j], word[i + j]);
	for (; i < count; i++)
		lane[i % LANES] = cape_number_mix(lane[i % LANES], word[i]);
}

/* The words of RANGE, of memory that may have been unmapped. */
static bool mix_if_there(uint64_t lane[LANES], struct cape_range range)
{
	uint64_t word[512], size;

	for (uint64_t at = range.start; at < range.end; at += size) {
		size = cape_least(sizeof(word), range.end - at);
		if (cape_copy_if_there(word, (const void *)at, size) != (ssize_t)size)
			return false;
		mix(lane, word, size / WORD);
	}
	return true;
}

/* What COUNT ranges are and hold, as a number; 0: they are not all here. */
static uint64_t number_of(const struct cape_runtime *runtime, const struct cape_range *list,
			  size_t count)
{
	uint64_t lane[LANES] = {1, 2, 3, 4}, number = 1;

	for (size_t i = 0; i < count; i++) {
		struct cape_range range = list[i];

		lane[0] = cape_number_mix(lane[0], range.start);
		lane[1] = cape_number_mix(lane[1], range.end);
		if (is_plain(runtime, range))
			mix(lane, (const uint64_t *)range.start, (range.end - range.start) / WORD);
		else if (!mix_if_there(lane, range))
			return 0;
	}
	for (unsigned i = 0; i < LANES; i++)
		number = cape_number_mix(number, lane[i]);
	return number;
}

uint64_t cape_plan_rows_hold(const struct cape_runtime *runtime, const struct cape_ranges *words)
{
	return number_of(runtime, words->range, words->count);
}

static bool hold_the_same(struct cape_runtime *runtime, const struct cape_plan_rows *rows)
{
	return bring(runtime, rows->range, rows->count) &&
	       number_of(runtime, rows->range, rows->count) == rows->number;
}

bool cape_plan_rows_are(struct cape_runtime *runtime, struct cape_plan_rows *rows)
{
	bool stand = !rows->count || cape_plan_tables_stand(runtime, rows), same;

	if (stand && !(runtime->channel->flags & CAPE_CHANNEL_VERIFY))
		return true;
	same = hold_the_same(runtime, rows);
	if (stand && !same)
		cape_fail(
			runtime, 0,
			"pointers by which a loop finds its memory have changed unnoticed: please "
			"report that, and build the program with --no-plan");
	if (same)
		cape_plan_tables_look(runtime, rows);
	return same;
}

void cape_plan_rows_take(struct cape_runtime *runtime, struct cape_plan_rows *rows)
{
	const struct cape_intervals *read = &runtime->planned->rows.words;

	cape_must_grow(runtime, (void **)&rows->range, &rows->room, read->count,
		       sizeof(*rows->range));
	rows->count = read->count;
	for (size_t i = 0; i < read->count; i++)
		rows->range[i] = (struct cape_range){read->list[i].start, read->list[i].end};
	rows->number = number_of(runtime, rows->range, rows->count);
	cape_plan_tables_add(runtime, rows);
}
