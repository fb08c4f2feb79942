/* SPDX-License-Identifier: GPL-2.0-or-later */
/* look.h - loops that wait for a volatile object to change. */
#ifndef CAPE_TRANSLATOR_LOOK_H
#define CAPE_TRANSLATOR_LOOK_H

struct unit;

/* Puts a call into the condition of each loop that reads a volatile object others may change. */
void look_rewrite(struct unit *unit);

#endif
