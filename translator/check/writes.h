/* SPDX-License-Identifier: GPL-2.0-or-later */
/* writes.h - regions of which the translator sees where in the heap they write. */
#ifndef CAPE_TRANSLATOR_WRITES_H
#define CAPE_TRANSLATOR_WRITES_H

struct unit;

/* Sets writes_known and writes of outermost parallel constructs. */
void writes_find(struct unit *unit);

#endif
