/* SPDX-License-Identifier: GPL-2.0-or-later */
/* replicable.h - regions that may as well be run in whole by every node. */
#ifndef CAPE_TRANSLATOR_REPLICABLE_H
#define CAPE_TRANSLATOR_REPLICABLE_H

#include <stdbool.h>

#include "read/source.h"

struct unit;
struct directive;

/*
 * Whether DIRECTIVE is a region that comes to the same if its team is one thread, or if the threads
 * of its team run one after the other.
 */
enum replicable { REPLICABLE_NOT, REPLICABLE_BY_ONE, REPLICABLE_BY_TURNS };

enum replicable replicable(const struct unit *unit, const struct directive *directive);

/*
 * Whether REGION may show which of its threads has which share of what stands between two sync
 * points; that they wait for each other by flushes does not.
 */
bool replicable_shows_shares(const struct unit *unit, const struct directive *region);

/*
 * Whether DIRECTIVE is a loop whose reductions hang on the order in which threads' results are put
 * together, and that can be kept where one thread runs it.
 */
bool replicable_by_threads(const struct unit *unit, const struct directive *directive);

/* Whether what DIRECTIVE reduces does not hang on that order, or it can be kept. */
bool replicable_reduces_exactly(const struct unit *unit, const struct directive *directive);

/*
 * Whether a construct in RANGE is shared out; the innermost such one in whose block OFFSET is,
 * FIRST or one after it, or NULL.
 */
bool replicable_shares_in(const struct unit *unit, struct range range);
const struct directive *replicable_shared_out_at(const struct unit *unit,
						 const struct directive *first,
						 unsigned int offset);

#endif
