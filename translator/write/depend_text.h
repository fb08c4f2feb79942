/* SPDX-License-Identifier: GPL-2.0-or-later */
/* depend_text.h - the list items of depend clauses. */
#ifndef CAPE_TRANSLATOR_DEPEND_TEXT_H
#define CAPE_TRANSLATOR_DEPEND_TEXT_H

#include <stdbool.h>

#include "read/text.h"

struct unit;
struct directive;

/* A call for each item of TASK's. */
void depend_write_task(struct unit *unit, const struct directive *task, struct text *text,
		       unsigned int depth);

/*
 * A statement for each expression that calls or changes something, and one that waits for all
 * tasks before; whether DIRECTIVE has the clause at all.
 */
bool depend_write(struct unit *unit, const struct directive *directive, struct text *text,
		  unsigned int depth);

#endif
