/* SPDX-License-Identifier: GPL-2.0-or-later */
/* said.h - what #pragma cape says of a loop, as accesses like those that a walk finds. */
#ifndef CAPE_TRANSLATOR_MODEL_SAID_H
#define CAPE_TRANSLATOR_MODEL_SAID_H

#include "walk.h"

/* Notes the items, before the walk of the body. */
void said_walk(struct walk *walk);

/*
 * After the walk of LOOP, whose parts begin at FIRST: those that cannot be written where the loop
 * begins, or are not sure, are left out if the pragma has them.
 */
void said_replace_parts(const struct walk *walk, const struct syntax *loop, size_t first);

#endif
