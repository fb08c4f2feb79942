/* SPDX-License-Identifier: GPL-2.0-or-later */
/* depend_text.h - what the list items of depend clauses do besides naming memory. */
#ifndef CAPE_TRANSLATOR_DEPEND_TEXT_H
#define CAPE_TRANSLATOR_DEPEND_TEXT_H

#include <stdbool.h>

#include "read/text.h"

struct unit;
struct directive;

/* A statement for each expression that calls or changes something; whether there was one. */
bool depend_write(struct unit *unit, const struct directive *directive, struct text *text,
		  unsigned int depth);

#endif
