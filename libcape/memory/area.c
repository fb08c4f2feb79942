/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * area.c - the list of areas.
 */
#include "memory/area.h"

#include <errno.h>
#include <string.h>
#include "memory/twin.h"

void cape_areas_start(struct cape_areas *areas, struct cape_private *private,
		      const struct cape_base *base)
{
	areas->private = private;
	areas->base = base;
	areas->count = 0;
	cape_twins_start(areas);
}

int cape_areas_add(struct cape_areas *areas, enum cape_area_kind kind, uint64_t start, uint64_t end,
		   uint64_t initialised, const char *name)
{
	struct cape_area area = {.kind = kind,
				 .start = start,
				 .end = end,
				 .name = name,
				 .base = kind == CAPE_AREA_MASTER ? &cape_base_twin : areas->base};
	size_t at = 0;

	if (areas->count == CAPE_AREAS_LIMIT)
		return -ENOMEM;
	while (at < areas->count && areas->area[at].start < start)
		at++;
	if ((at > 0 && areas->area[at - 1].end > start) ||
	    (at < areas->count && areas->area[at].start < end))
		return -EEXIST;

	if (area.base->add && area.base->add(areas->private, &area, initialised) < 0)
		return -ENOMEM;

	memmove(&areas->area[at + 1], &areas->area[at], (areas->count - at) * sizeof(area));
	areas->area[at] = area;
	areas->count++;
	return 0;
}

void cape_areas_remove(struct cape_areas *areas, uint64_t start)
{
	for (size_t i = 0; i < areas->count; i++) {
		if (areas->area[i].start != start)
			continue;
		cape_area_forget(&areas->area[i],
				 (struct cape_range){areas->area[i].start, areas->area[i].end});
		areas->count--;
		memmove(&areas->area[i], &areas->area[i + 1],
			(areas->count - i) * sizeof(areas->area[0]));
		return;
	}
}

struct cape_area *cape_areas_find(struct cape_areas *areas, uint64_t address, uint64_t length)
{
	for (size_t i = 0; i < areas->count; i++) {
		struct cape_area *area = &areas->area[i];

		if (address >= area->start && address < area->end)
			return length <= area->end - address ? area : NULL;
	}
	return NULL;
}

struct cape_range cape_areas_part(struct cape_areas *areas, struct cape_range range,
				  struct cape_area **area)
{
	*area = cape_areas_find(areas, range.start, 1);
	if (*area && (*area)->end < range.end)
		range.end = (*area)->end;
	return range;
}
