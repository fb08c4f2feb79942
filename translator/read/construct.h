/* SPDX-License-Identifier: GPL-2.0-or-later */
/* construct.h - where the calls of a construct go: instead of the pragma, after the statement. */
#ifndef CAPE_TRANSLATOR_CONSTRUCT_H
#define CAPE_TRANSLATOR_CONSTRUCT_H

#include "directive.h"

struct unit;

/* The position that gives inserted lines their indentation: of what follows the pragma. */
unsigned int construct_near(const struct unit *unit, const struct directive *directive);
/* Puts TEXT, which is taken over, in the place of the pragma. */
void construct_open(struct unit *unit, const struct directive *directive, char *text);
/* Puts TEXT, which is taken over, after the statement that the directive governs. */
void construct_close(struct unit *unit, const struct directive *directive, char *text);
/* Takes the pragma out. */
void construct_remove(struct unit *unit, const struct directive *directive);

#endif
