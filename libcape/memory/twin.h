/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * twin.h - an area's twin, which holds its base (area.h).
 *
 * The twin is persistent.  A page whose twin was never written stands for zeros; a page that a sync
 * point changed may be missing in it until the next region needs it.
 */
#ifndef CAPE_TWIN_H
#define CAPE_TWIN_H

#include "memory/area.h"
#include "memory/hidden.h"

extern const struct cape_base cape_base_twin;

/* Opens the file that shows which pages exist. */
void cape_twins_start(struct cape_areas *areas);

/* Makes the twin of RANGE what memory is: sequential code changed it, on every node alike. */
void cape_twin_fold(struct cape_areas *areas, struct cape_area *area, struct cape_range range);

/*
 * The same of pages of RANGE that nobody changes before catch_up() has been called for them, or
 * their twin asked for: memory itself is the base until then.
 */
void cape_twin_postpone(struct cape_areas *areas, struct cape_area *area, struct cape_range range);

/* The same for those pages of RANGE that a sync point changed; the rest of its twin is right. */
void cape_twin_catch_up(struct cape_area *area, struct cape_range range);

/*
 * The same, of pages that the program cannot use: HIDDEN reads them.  False: that cannot be done,
 * and the twin of those that are left is as it was.
 */
bool cape_twin_catch_up_hidden(struct cape_area *area, struct cape_range range,
			       const struct cape_hidden *hidden);

/*
 * Up to where pages of RANGE, from its start in AREA on, are zeros that nobody has touched since
 * the program began.
 */
uint64_t cape_twin_untouched(const struct cape_areas *areas, const struct cape_area *area,
			     struct cape_range range);

/* Puts back what the twin holds of RANGE. */
void cape_twin_restore(struct cape_area *area, struct cape_range range);

#endif
