/* SPDX-License-Identifier: GPL-2.0-or-later */
/* reduction_scopes.h - where the parts that tasks add to a reduction go. */
#ifndef CAPE_TRANSLATOR_REDUCTION_SCOPES_H
#define CAPE_TRANSLATOR_REDUCTION_SCOPES_H

#include "read/text.h"

struct unit;
struct directive;

/*
 * Begins the task reductions of taskgroup or taskloop, of which there is no copy; returns how many
 * variables they have, for reduction_scopes_leave().
 */
unsigned int reduction_scopes_begin(const struct unit *unit, const struct directive *directive,
				    struct text *text, unsigned int depth);
void reduction_scopes_leave(unsigned int count, struct text *text, unsigned int depth);

#endif
