/* SPDX-License-Identifier: GPL-2.0-or-later */
/* calls.h - which functions a part of the source calls. */
#ifndef CAPE_TRANSLATOR_CALLS_H
#define CAPE_TRANSLATOR_CALLS_H

#include "read/part.h"

struct unit;

/*
 * Whether GOOD accepts all functions that PART calls: their names, as tokens.  Calls by pointer
 * and assembly make it false too.
 */
bool calls_all(struct unit *unit, struct part part, bool (*good)(void *context, unsigned int name),
	       void *context);

/* Whether token AT names a function that computes its value, the same on any node, and no more. */
bool calls_only_computes(const struct source *source, unsigned int at);

#endif
