/* SPDX-License-Identifier: GPL-2.0-or-later */
/* decides.h - the values that a loop's sets follow from, beside memory that is brought for them. */
#ifndef CAPE_TRANSLATOR_DECIDES_H
#define CAPE_TRANSLATOR_DECIDES_H

#include <stdbool.h>

#include "read/text.h"

struct unit;
struct directive;

/* Expressions in C of an integer type or of double, each for an argument of a call. */
typedef LIST(const char *) value_list;

/*
 * Adds to VALUES all that decides on what DIRECTIVE's loop describes, but for its own bounds and
 * for the memory of early SET_INDEX parts.  false: not all of it can be said before.
 */
bool decides_find(struct unit *unit, const struct directive *directive, value_list *values);

#endif
