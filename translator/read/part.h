/* SPDX-License-Identifier: GPL-2.0-or-later */
/* part.h - a run of tokens of the source: one part of a statement that is taken apart. */
#ifndef CAPE_TRANSLATOR_PART_H
#define CAPE_TRANSLATOR_PART_H

#include "source.h"

/* Tokens [FIRST, END). */
struct part {
	unsigned int first;
	unsigned int end;
};

/* Whether token AT of PART is WORD. */
bool part_is(const struct source *source, struct part part, unsigned int at, const char *word);
/* The index of WORD outside brackets from AT on, or part.end. */
unsigned int part_find(const struct source *source, struct part part, unsigned int at,
		       const char *word);
/* The token after AT, or after the bracket that opens at AT. */
unsigned int part_next(const struct source *source, unsigned int at);
/* The text of the part; {0, 0} when it is empty. */
struct range part_text(const struct source *source, struct part part);
/* PART without the parentheses that enclose all of it. */
struct part part_inside(const struct source *source, struct part part);
/* Whether both parts have the same tokens. */
bool part_same(const struct source *source, struct part one, struct part other);

#endif
