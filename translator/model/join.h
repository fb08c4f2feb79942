/* SPDX-License-Identifier: GPL-2.0-or-later */
/* join.h - accesses to elements of an array, one by one, as one access to all of them. */
#ifndef CAPE_TRANSLATOR_JOIN_H
#define CAPE_TRANSLATOR_JOIN_H

#include "sets.h"

/* Marks accesses that are part of another one now. */
void join_elements(struct unit *unit, const struct sets *sets);

#endif
