/* SPDX-License-Identifier: GPL-2.0-or-later */
/* midway.h - regions that each node may as well run in whole from one of their sync points on. */
#ifndef CAPE_TRANSLATOR_MIDWAY_H
#define CAPE_TRANSLATOR_MIDWAY_H

#include <stdbool.h>

struct unit;
struct directive;

/*
 * Whether REGION, which is replicable, comes to the same if it goes on with a team of one thread
 * after any of its sync points, or with all of its team again.
 */
bool midway(const struct unit *unit, const struct directive *region);

#endif
