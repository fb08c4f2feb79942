/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * captured.h - the base of memory of which the monitor captures pages: the twin of a page that it
 * captured, and memory itself where it captured none.
 */
#ifndef CAPE_CAPTURED_H
#define CAPE_CAPTURED_H

#include "memory/area.h"

extern const struct cape_base cape_base_captured;

/* Appends what changed in RANGE, of shared memory or not.  0 or -ENOMEM. */
int cape_captured_diff(struct cape_range range, struct cape_runs *runs);

#endif
