/* SPDX-License-Identifier: GPL-2.0-or-later */
/* alike.h - whether all threads have the same values where a loop begins. */
#ifndef CAPE_TRANSLATOR_ALIKE_H
#define CAPE_TRANSLATOR_ALIKE_H

#include "walk.h"

/*
 * Whether the sets that the walk has found depend on nothing that a thread has of its own, but
 * variables of loops around LOOP that all threads run alike.
 */
bool alike_find(const struct walk *walk, const struct syntax *loop);

#endif
