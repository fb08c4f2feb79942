// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * intervals.c - sets of bytes, as a list of stretches of addresses.
 */
#include "sets/intervals.h"

#include <errno.h>
#include <string.h>
#include "system/memory.h"
#include "system/ranges.h"

#define PIECES (1ull << 24) /* of a box at most */

static struct cape_memory *memory_of(const struct cape_intervals *set)
{
	return set->memory ? set->memory : &cape_memory_pages;
}

int cape_intervals_add_stretch(struct cape_intervals *set, uint64_t start, uint64_t size)
{
	int error;

	if (!size)
		return 0;
	if (set->count && set->list[set->count - 1].end == start) {
		set->list[set->count - 1].end += size;
		return 0;
	}
	error = cape_memory_grow(memory_of(set), (void **)&set->list, &set->room, set->count + 1,
				 sizeof(*set->list));
	if (!error)
		set->list[set->count++] = (struct cape_interval){start, start + size, 0};
	return error;
}

int cape_intervals_add_all(struct cape_intervals *set, const struct cape_intervals *other)
{
	int error = 0;

	for (size_t i = 0; i < other->count && !error; i++)
		error = cape_intervals_add_stretch(set, other->list[i].start,
						   other->list[i].end - other->list[i].start);
	return error;
}

int cape_intervals_add(struct cape_intervals *set, const struct cape_box *box)
{
	struct cape_box joined = *box;
	uint64_t at[CAPE_BOX_DIMENSIONS] = {0}, pieces = 1, start;
	unsigned i;
	int error = 0;

	cape_box_simplify(&joined);
	for (i = 0; i < joined.dimensions; i++)
		if (__builtin_mul_overflow(pieces, joined.dimension[i].count, &pieces) ||
		    pieces > PIECES)
			return -E2BIG;
	for (start = joined.at; pieces-- && !error;) {
		error = cape_intervals_add_stretch(set, start, joined.size);
		for (i = 0; i < joined.dimensions; i++) {
			start += (uint64_t)joined.dimension[i].stride;
			if (++at[i] < joined.dimension[i].count)
				break;
			start -= (uint64_t)joined.dimension[i].stride * at[i];
			at[i] = 0;
		}
	}
	return error;
}

/* The intervals from FIRST on that are in order: where they end. */
static size_t end_of_run(const struct cape_intervals *set, size_t first)
{
	size_t end = first + 1;

	while (end < set->count && set->list[end - 1].start <= set->list[end].start)
		end++;
	return end < set->count ? end : set->count;
}

static void merge(struct cape_interval *to, const struct cape_interval *one, size_t ones,
		  const struct cape_interval *other, size_t others)
{
	while (ones && others) {
		if (one->start <= other->start) {
			*to++ = *one++;
			ones--;
		} else {
			*to++ = *other++;
			others--;
		}
	}
	memcpy(to, one, ones * sizeof(*to));
	memcpy(to + ones, other, others * sizeof(*to));
}

/* Merges two runs at a time.  Whether there was but one. */
static bool merge_runs(struct cape_intervals *set)
{
	struct cape_interval *list = set->list;
	size_t room = set->room;

	if (end_of_run(set, 0) == set->count)
		return true;
	for (size_t first = 0, middle, end; first < set->count; first = end) {
		middle = end_of_run(set, first);
		end = middle < set->count ? end_of_run(set, middle) : middle;
		merge(set->spare + first, list + first, middle - first, list + middle,
		      end - middle);
	}
	set->list = set->spare;
	set->room = set->spare_room;
	set->spare = list;
	set->spare_room = room;
	return false;
}

int cape_intervals_sort(struct cape_intervals *set)
{
	size_t joined = 0;

	if (!set->count)
		return 0;
	if (cape_memory_grow(memory_of(set), (void **)&set->spare, &set->spare_room, set->count,
			     sizeof(*set->spare)) < 0)
		return -ENOMEM;
	while (!merge_runs(set))
		;
	for (size_t i = 1; i < set->count; i++) {
		if (set->list[i].start > set->list[joined].end)
			set->list[++joined] = set->list[i];
		else if (set->list[i].end > set->list[joined].end)
			set->list[joined].end = set->list[i].end;
	}
	set->count = joined + 1;
	set->list[0].before = 0;
	for (size_t i = 1; i < set->count; i++)
		set->list[i].before =
			set->list[i - 1].before + set->list[i - 1].end - set->list[i - 1].start;
	return 0;
}

const struct cape_interval *cape_intervals_find(const struct cape_intervals *set, uint64_t address)
{
	size_t low = 0, high = set->count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (set->list[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low < set->count && set->list[low].start <= address ? &set->list[low] : NULL;
}

uint64_t cape_intervals_reach(const struct cape_intervals *set, uint64_t address)
{
	const struct cape_interval *interval = cape_intervals_find(set, address);

	return interval ? interval->end : address;
}

uint64_t cape_intervals_bytes(const struct cape_intervals *set)
{
	const struct cape_interval *last;

	if (!set->count)
		return 0;
	last = &set->list[set->count - 1];
	return last->before + last->end - last->start;
}

/* Which interval, from number FROM on, is the first that ends after ADDRESS. */
static size_t skip(const struct cape_intervals *set, size_t from, uint64_t address)
{
	size_t step = 1;

	while (step < set->count - from && set->list[from + step - 1].end <= address) {
		from += step;
		step *= 2;
	}
	return from + cape_ranges_find(&set->list[from], cape_least(step, set->count - from),
				       sizeof(*set->list), address);
}

bool cape_intervals_meet(const struct cape_intervals *one, const struct cape_intervals *other)
{
	size_t i = 0, j = 0;

	/* One may be a few, and the other very many. */
	while (i < one->count && j < other->count) {
		if (one->list[i].end <= other->list[j].start)
			i = skip(one, i, other->list[j].start);
		else if (other->list[j].end <= one->list[i].start)
			j = skip(other, j, one->list[i].start);
		else
			return true;
	}
	return false;
}

void cape_intervals_empty(struct cape_intervals *set)
{
	set->count = 0;
}
