/* SPDX-License-Identifier: GPL-2.0-or-later */
/* described.h - which accesses of a loop every node can describe before it runs. */
#ifndef CAPE_TRANSLATOR_DESCRIBED_H
#define CAPE_TRANSLATOR_DESCRIBED_H

#include "walk.h"

/* Marks the parts that the walk of LOOP has found, and notes what else is read. */
void described_find(const struct walk *walk, const struct syntax *loop);

/*
 * Whether every node knows the place of OBJECT; GUARDED: the loop itself may not come to it.
 */
bool described_place(const struct walk *walk, const struct syntax *object, bool guarded);

/* The same of what it holds. */
bool described_early(const struct syntax *object, bool guarded);

#endif
