/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * covered.h - whether #pragma cape has what is not known of an access.
 *
 * It has if one of its items is of the same variable; where not even the variable is known, and
 * where a function is called that is not followed, any word of the set will do.
 */
#ifndef CAPE_TRANSLATOR_COVERED_H
#define CAPE_TRANSLATOR_COVERED_H

#include "walk.h"

/* The variable that OBJECT begins with: p of p->rows[i]; NULL: none is known. */
const struct syntax *covered_base(const struct syntax *object);

/* Whether the pragma has what is not known of OBJECT, parts of which may be NULL. */
bool covered_access(const struct walk *walk, enum access_set set, const struct syntax *object);

/* Whether it has all that a function or a statement may access. */
bool covered_all(const struct walk *walk);

/* Notes what was not known AT that place, and that the pragma has it. */
void covered_note(const struct walk *walk, struct range at, const char *why);

/* PART, an access, is left out: the pragma has it. */
void covered_replace(const struct walk *walk, struct part_of_set *part, const char *why);

#endif
