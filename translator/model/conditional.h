/* SPDX-License-Identifier: GPL-2.0-or-later */
/* conditional.h - writes that are made or not, by what is not known before the loop. */
#ifndef CAPE_TRANSLATOR_CONDITIONAL_H
#define CAPE_TRANSLATOR_CONDITIONAL_H

#include "walk.h"

/*
 * ACCESS writes under conditions, or in rounds, that are not known: whether its place is known
 * without these.  Then another part says in plans that it may be made.
 */
bool conditional_write(const struct walk *walk, struct part_of_set *access);

/* Whether such a part, or one of what decides on its place, has what ACCESS reads, too. */
bool conditional_read(const struct part_of_set *access);

#endif
