/* SPDX-License-Identifier: GPL-2.0-or-later */
/* shadow.h - private variables: declarations in inner scopes, and what follows the block. */
#ifndef CAPE_TRANSLATOR_SHADOW_H
#define CAPE_TRANSLATOR_SHADOW_H

#include "text.h"

struct unit;
struct directive;

/* Opens one or two scopes (DEPTH counts them) that hold the copies of DIRECTIVE's variables. */
void shadow_open(const struct unit *unit, const struct directive *directive, struct text *text,
		 unsigned int *depth);
/* Hands over lastprivate and reduction results and closes the scopes down to TO_DEPTH. */
void shadow_close(const struct unit *unit, const struct directive *directive, struct text *text,
		  unsigned int *depth, unsigned int to_depth);

/* Adds DEPTH tabs. */
void indent(struct text *text, unsigned int depth);

#endif
