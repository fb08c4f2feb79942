/* SPDX-License-Identifier: GPL-2.0-or-later */
/* visible.h - whether a variable has its name at a place. */
#ifndef CAPE_TRANSLATOR_VISIBLE_H
#define CAPE_TRANSLATOR_VISIBLE_H

#include <stdbool.h>

struct unit;
struct syntax;

/* VARIABLE: a SYNTAX_VARIABLE, from anywhere in the text. */
bool visible_at(const struct unit *unit, unsigned int offset, const struct syntax *variable);

#endif
