/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lasting.h - what threads of a region may keep across sync points, other than by a plain name. */
#ifndef CAPE_TRANSLATOR_LASTING_H
#define CAPE_TRANSLATOR_LASTING_H

#include <stdbool.h>

struct unit;
struct directive;

/*
 * Whether a thread of REGION may have memory of its own beside plain variables that nothing points
 * to, or be given a value by a pipeline's function, and keep it across a sync point.
 */
bool lasting(const struct unit *unit, const struct directive *region);

/* Whether a pointer may lead to such memory. */
bool lasting_pointed(const struct unit *unit, const struct directive *region);

#endif
