// SPDX-License-Identifier: LGPL-2.1-or-later
/* ranges.c - lists of stretches of addresses, in their order, which do not touch each other. */
#include "base/ranges.h"

#include <string.h>
#include "base/context.h"
#include "system/ranges.h"

static size_t first_after(const struct cape_ranges *list, uint64_t address)
{
	return cape_ranges_find(list->range, list->count, sizeof(*list->range), address);
}

void cape_ranges_add(struct cape_runtime *runtime, struct cape_ranges *list,
		     struct cape_range range)
{
	size_t first = first_after(list, range.start - (range.start != 0)), last = first;

	while (last < list->count && list->range[last].start <= range.end) {
		range.start = cape_least(range.start, list->range[last].start);
		range.end = cape_greatest(range.end, list->range[last].end);
		last++;
	}
	if (first == last)
		cape_must_grow(runtime, (void **)&list->range, &list->room, list->count + 1,
			       sizeof(range));
	memmove(&list->range[first + 1], &list->range[last], (list->count - last) * sizeof(range));
	list->range[first] = range;
	list->count += 1 + first - last;
}

void cape_ranges_remove(struct cape_runtime *runtime, struct cape_ranges *list,
			struct cape_range range)
{
	size_t first = first_after(list, range.start), last = first, left = 0;
	struct cape_range outside[2];

	while (last < list->count && list->range[last].start < range.end)
		last++;
	if (first == last)
		return;
	if (list->range[first].start < range.start)
		outside[left++] = (struct cape_range){list->range[first].start, range.start};
	if (list->range[last - 1].end > range.end)
		outside[left++] = (struct cape_range){range.end, list->range[last - 1].end};
	cape_must_grow(runtime, (void **)&list->range, &list->room, list->count + left,
		       sizeof(range));
	memmove(&list->range[first + left], &list->range[last],
		(list->count - last) * sizeof(range));
	memcpy(&list->range[first], outside, left * sizeof(range));
	list->count -= last - first - left;
}

bool cape_ranges_cut(const struct cape_ranges *list, struct cape_range *range)
{
	size_t i = cape_ranges_find(list->range, list->count, sizeof(*list->range), range->start);
	bool is_in = i < list->count && list->range[i].start <= range->start;
	uint64_t end = is_in		 ? list->range[i].end
		       : i < list->count ? list->range[i].start
					 : UINT64_MAX;

	range->end = cape_least(range->end, end);
	return is_in;
}

bool cape_ranges_have(const struct cape_ranges *list, struct cape_range range)
{
	uint64_t end = range.end;

	return cape_ranges_cut(list, &range) && range.end == end;
}
