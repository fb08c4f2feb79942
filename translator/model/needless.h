/* SPDX-License-Identifier: GPL-2.0-or-later */
/* needless.h - barriers directly after, or before, another one. */
#ifndef CAPE_TRANSLATOR_NEEDLESS_H
#define CAPE_TRANSLATOR_NEEDLESS_H

struct unit;

/*
 * Makes nothing of each barrier directly before which a construct ends with one; notes the loops
 * directly after which their region ends (directive->last).
 */
void needless_find(struct unit *unit);

#endif
