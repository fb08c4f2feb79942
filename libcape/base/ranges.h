/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ranges.h - lists of stretches of addresses, in their order, which do not touch each other. */
#ifndef CAPE_BASE_RANGES_H
#define CAPE_BASE_RANGES_H

#include <stdbool.h>
#include <stddef.h>

#include "channel/range.h"

struct cape_runtime;

struct cape_ranges {
	struct cape_range *range;
	size_t count, room;
};

/* Adds RANGE, which becomes one with all that it touches; takes it out. */
void cape_ranges_add(struct cape_runtime *runtime, struct cape_ranges *list,
		     struct cape_range range);
void cape_ranges_remove(struct cape_runtime *runtime, struct cape_ranges *list,
			struct cape_range range);

/* Whether all of RANGE is in LIST. */
bool cape_ranges_have(const struct cape_ranges *list, struct cape_range range);

/* Shortens RANGE so that all of it is in LIST, or nothing; whether it is. */
bool cape_ranges_cut(const struct cape_ranges *list, struct cape_range *range);

#endif
