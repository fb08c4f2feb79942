/* SPDX-License-Identifier: GPL-2.0-or-later */
/* letters.h - identifiers with letters beyond ASCII. */
#ifndef CAPE_TRANSLATOR_LETTERS_H
#define CAPE_TRANSLATOR_LETTERS_H

#include "text.h"

/*
 * Writes \u00e9 and \U000000e9 in the names of C TEXT as UTF-8, so that a name is spelled in one
 * way only: gcc -E writes all such letters so, the user may do either.  Strings stay as they are.
 */
void letters_unify(struct text *text);

#endif
