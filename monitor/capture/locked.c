// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * locked.c - the list of locked ranges, in the order of addresses.
 */
#include "locked.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include "capture.h"
#include "common/list.h"
#include "system/ranges.h"

static int add_range(struct locked *locked, const struct mapping *mapping, uint64_t from,
		     uint64_t to)
{
	struct locked_range *range;

	if (from >= to)
		return 0;
	range = list_room(locked->range, locked->count, &locked->capacity, sizeof(*range));
	if (!range)
		return -ENOMEM;
	locked->range = range;
	locked->range[locked->count++] = (struct locked_range){
		.start = from,
		.end = to,
		.prot = mapping->prot,
		.anonymous = mapping->anonymous,
		.stack = mapping->stack && from == mapping->start,
	};
	return 0;
}

/* Whether it can change and is the program's own: the rest is no checkpoint's. */
static bool is_lockable(const struct mapping *mapping)
{
	return mapping->private &&
	       (mapping->prot & (PROT_READ | PROT_WRITE)) == (PROT_READ | PROT_WRITE);
}

/* The parts of MAPPING in the ranges from *NEXT on. */
static int add_parts(struct locked *locked, const struct mapping *mapping,
		     const struct cape_range *range, size_t count, size_t *next)
{
	int error = 0;

	while (*next < count && range[*next].end <= mapping->start)
		(*next)++;
	for (size_t i = *next; i < count && range[i].start < mapping->end && !error; i++) {
		uint64_t start = cape_greatest(mapping->start, range[i].start);

		/* The program said so: an outsider's word. */
		if ((range[i].start | range[i].end) % CAPTURE_PAGE)
			return -EPROTO;
		error = add_range(locked, mapping, start, cape_least(mapping->end, range[i].end));
	}
	return error;
}

int locked_add(struct locked *locked, const struct cape_range *range, size_t count)
{
	size_t next = 0;
	int error = 0;

	for (size_t i = 0; i < locked->mappings.count && !error; i++)
		if (is_lockable(&locked->mappings.list[i]))
			error = add_parts(locked, &locked->mappings.list[i], range, count, &next);
	return error;
}

struct locked_range *locked_find(const struct locked *locked, uint64_t address)
{
	size_t at = cape_ranges_find(locked->range, locked->count, sizeof(*locked->range), address);

	if (at == locked->count || locked->range[at].start > address)
		return NULL;
	return &locked->range[at];
}

static int insert_range(struct locked *locked, size_t at, struct locked_range range)
{
	struct mapping mapping = {.prot = 0};
	int error = add_range(locked, &mapping, 0, 1);

	if (error)
		return error;
	memmove(&locked->range[at + 1], &locked->range[at],
		(locked->count - 1 - at) * sizeof(range));
	locked->range[at] = range;
	return 0;
}

int locked_remove(struct locked *locked, uint64_t start, uint64_t end)
{
	for (size_t i = 0; i < locked->count;) {
		struct locked_range *range = &locked->range[i];

		if (range->end <= start || range->start >= end) {
			i++;
		} else if (range->start >= start && range->end <= end) {
			locked->count--;
			memmove(range, range + 1, (locked->count - i) * sizeof(*range));
		} else if (range->start < start && range->end > end) {
			struct locked_range rest = *range;

			rest.start = end;
			rest.stack = false;
			range->end = start;
			return insert_range(locked, i + 1, rest);
		} else if (range->start < start) {
			range->end = start;
		} else {
			range->start = end;
			range->stack = false;
		}
	}
	return 0;
}
