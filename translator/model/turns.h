/* SPDX-License-Identifier: GPL-2.0-or-later */
/* turns.h - regions whose threads may as well run one after the other. */
#ifndef CAPE_TRANSLATOR_TURNS_H
#define CAPE_TRANSLATOR_TURNS_H

#include <stdbool.h>

struct unit;
struct directive;

/*
 * Whether in REGION it comes to the same, for all that a program may count on, if its threads run
 * one after the other, from the first on; where a loop is not shared out statically the first one
 * runs all of it.
 */
bool turns_are_alike(const struct unit *unit, const struct directive *region);

#endif
