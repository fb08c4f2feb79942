/* SPDX-License-Identifier: GPL-2.0-or-later */
/* said_trees.h - the expressions of #pragma cape as trees. */
#ifndef CAPE_TRANSLATOR_SAID_TREES_H
#define CAPE_TRANSLATOR_SAID_TREES_H

struct unit;

/* Fills the trees of unit->said, once loops are read; reports what C does not allow. */
void said_trees_read(struct unit *unit, const char *standard);

#endif
