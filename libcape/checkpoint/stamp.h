/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * stamp.h - the time-stamp of a checkpoint.
 */
#ifndef CAPE_STAMP_H
#define CAPE_STAMP_H

#include <stdint.h>

/* Ordered by time, equal times by node. */
struct cape_stamp {
	uint64_t time;
	uint32_t node;
};

/* Below, equal to, or above 0 as A is before, the same as, or after B. */
static inline int cape_stamp_compare(struct cape_stamp a, struct cape_stamp b)
{
	if (a.time != b.time)
		return a.time < b.time ? -1 : 1;
	return a.node < b.node ? -1 : a.node > b.node;
}

#endif
