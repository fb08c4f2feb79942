/* SPDX-License-Identifier: GPL-2.0-or-later */
/* spread.h - loops that all nodes may share out where sequential code meets them. */
#ifndef CAPE_TRANSLATOR_SPREAD_H
#define CAPE_TRANSLATOR_SPREAD_H

#include <stdbool.h>

struct unit;
struct directive;

/*
 * Whether DIRECTIVE, a planned loop, comes to the same if it is a region of its own, as far as the
 * text says; then finds the variables that it carries.
 */
bool spread_find(struct unit *unit, struct directive *directive);

#endif
