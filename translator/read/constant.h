/* SPDX-License-Identifier: GPL-2.0-or-later */
/* constant.h - the value of an integer constant expression. */
#ifndef CAPE_TRANSLATOR_CONSTANT_H
#define CAPE_TRANSLATOR_CONSTANT_H

#include <stdbool.h>

#include "source.h"

struct unit;

/*
 * Puts into VALUE what TOKENS, COUNT of them, come to in FUNCTION (or -1): integers, enumeration
 * constants, operators, casts to the basic types.  False when it is none of these.
 */
bool constant_value(const struct unit *unit, int function, const struct token *tokens,
		    unsigned int count, long *value);

#endif
