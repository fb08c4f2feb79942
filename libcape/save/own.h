/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * own.h - memory that is each node's own inside a region.
 */
#ifndef CAPE_SAVE_OWN_H
#define CAPE_SAVE_OWN_H

#include <stddef.h>
#include "base/context.h"
#include "channel/range.h"

/* Stretches of memory, in order, apart. */
struct cape_own {
	struct cape_range *range;
	size_t count;
};

/*
 * What is a node's own in the region that it is in, whose function and those that it has called
 * have the stack from LOW on; 0: any of it.  It stays until this is called again.
 */
const struct cape_own *cape_own_list(struct cape_runtime *runtime, uint64_t low);

/* The first part of RANGE that is in OWN, or, if not INSIDE, that is not; empty: there is none. */
struct cape_range cape_own_next(const struct cape_own *own, struct cape_range range, bool inside);

/* What is a node's own becomes what it was when the region was entered, as was saved. */
void cape_own_put_back(struct cape_runtime *runtime);

#endif
