/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stretches.h - what a region does between its sync points: whether that has anything in common. */
#ifndef CAPE_TRANSLATOR_STRETCHES_H
#define CAPE_TRANSLATOR_STRETCHES_H

#include <stdbool.h>

struct unit;
struct directive;

/*
 * Whether CONSTRUCT, which ends with a barrier, divides REGION: it is a statement of the region's
 * block, or between two of them.
 */
bool stretches_divides(const struct unit *unit, const struct directive *region,
		       const struct directive *construct);

/*
 * Whether what those constructs divide REGION into has nothing in common that one part changes: a
 * thread may as well come to a part before other threads have left the one before.
 */
bool stretches_are_apart(const struct unit *unit, const struct directive *region);

#endif
