/* SPDX-License-Identifier: GPL-2.0-or-later */
/* visible.h - whether a variable has its name where a directive stands. */
#ifndef CAPE_TRANSLATOR_VISIBLE_H
#define CAPE_TRANSLATOR_VISIBLE_H

#include <stdbool.h>

struct unit;
struct directive;
struct syntax;

/* VARIABLE: a SYNTAX_VARIABLE, from anywhere in the text. */
bool visible_at(const struct unit *unit, const struct directive *directive,
		const struct syntax *variable);

#endif
