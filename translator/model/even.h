/* SPDX-License-Identifier: GPL-2.0-or-later */
/* even.h - what accesses a loop makes at even distances: it can be a dimension of their box. */
#ifndef CAPE_TRANSLATOR_EVEN_H
#define CAPE_TRANSLATOR_EVEN_H

#include "sets.h"

/* Which accesses are described to the run time. */
enum telling {
	TELL_CHECKED, /* all (cape_sets.h) */
	TELL_PLANNED, /* what every node can describe of all nodes before the loop runs */
	TELL_LISTED,  /* the rest of what is read: by each node, of its own iterations */
};

/* Whether nothing in PART is described. */
bool even_is_empty(enum telling telling, const struct part_of_set *part);

/* Whether all that PART accesses is evenly apart for the values of the iterator. */
bool even_is_in(const struct sets *sets, enum telling telling, const struct part_of_set *part,
		unsigned int number);

/*
 * Whether the condition holds for the first values of the iterator, or for the last ones, and not
 * for the others.
 */
bool even_is_cut(const struct syntax *condition, unsigned int number);

#endif
