/* SPDX-License-Identifier: GPL-2.0-or-later */
/* range.h - from where to where the subscripts of an access go, in words of the source. */
#ifndef CAPE_TRANSLATOR_RANGE_H
#define CAPE_TRANSLATOR_RANGE_H

#include "sets.h"

/* A sum: words times factors, and a constant. */
struct term {
	const char *word;
	long factor;
};

struct sum {
	LIST(struct term) terms;
	long constant;
};

/* The values of one subscript: all of those between both, or every so many. */
struct subscript {
	struct sum low, high;
};

/* An object, or many that differ in their subscripts. */
struct ranges {
	const char *before; /* up to the first subscript: "a", "p->rows" */
	LIST(struct subscript) subscripts;
	const char *after; /* after the last one: ".x", or empty */
};

/* Fills RANGES with what OBJECT is over all values of the inner iterators of SETS. */
void ranges_read(struct unit *unit, const struct sets *sets, const struct syntax *object,
		 struct ranges *ranges);

/*
 * Makes ONE what holds both; false, and nothing is done, if these are different objects, or their
 * subscripts do not differ by constants.
 */
bool ranges_join(struct ranges *one, const struct ranges *other);

void ranges_print(struct text *text, const struct ranges *ranges);
void ranges_free(struct ranges *ranges);

#endif
