/* SPDX-License-Identifier: GPL-2.0-or-later */
/* alike.h - whether all threads have the same values where a loop begins. */
#ifndef CAPE_TRANSLATOR_ALIKE_H
#define CAPE_TRANSLATOR_ALIKE_H

#include "walk.h"

/*
 * Of each part that the walk has found: whether it depends on nothing that a thread has of its own,
 * but variables of loops around LOOP that all threads run alike.
 */
void alike_find(const struct walk *walk, const struct syntax *loop);

#endif
