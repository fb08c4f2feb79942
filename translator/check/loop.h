/* SPDX-License-Identifier: GPL-2.0-or-later */
/* loop.h - the canonical loops (OpenMP 3.1, 2.5.1) of for, parallel for and collapse. */
#ifndef CAPE_TRANSLATOR_LOOP_H
#define CAPE_TRANSLATOR_LOOP_H

#include <stdbool.h>

#include "read/statement.h"

struct unit;

/* Reads the loops of every loop construct into directive.loops; reports other forms. */
void loops_read(struct unit *unit);

/* How a header compares the variable with the limit. */
struct loop_comparison {
	const char *word;
	enum loop_relation relation;
	enum loop_relation mirrored; /* with the variable on the right */
};

#define LOOP_COMPARISONS 5

extern const struct loop_comparison loop_comparisons[LOOP_COMPARISONS];

/* Whether the variable grows; MINUS: the step is subtracted. */
bool loop_relation_ascends(enum loop_relation relation, bool minus);
bool loop_ascends(const struct loop *loop);

#endif
