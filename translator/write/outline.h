/* SPDX-License-Identifier: GPL-2.0-or-later */
/* outline.h - the pragma by which the compiler makes a function of a region's block. */
#ifndef CAPE_TRANSLATOR_OUTLINE_H
#define CAPE_TRANSLATOR_OUTLINE_H

#include <stdbool.h>

#include "read/text.h"

struct unit;
struct directive;

/* Whether the text has such a block, and so needs cape_outlined.h. */
bool outline_any(const struct unit *unit);

/* Whether it has threadprivate variables, and so needs cape_threadprivate.h. */
bool outline_any_thread_local(const struct unit *unit);

/* Adds the line before the block that each thread runs, if DIRECTIVE begins a region. */
void outline_write(const struct unit *unit, const struct directive *directive, struct text *text,
		   unsigned int depth);

/* Before the block: adds the addresses of the first thread's variables of copyin. */
void outline_write_originals(const struct unit *unit, const struct directive *directive,
			     struct text *text, unsigned int depth);

/* At the block's beginning: adds what makes them this thread's. */
void outline_write_copyin(const struct unit *unit, const struct directive *directive,
			  struct text *text, unsigned int depth);

/* After the copies: adds the call that waits until all threads have read first values. */
void outline_write_values_read(const struct directive *directive, struct text *text,
			       unsigned int depth);

/* Keeps the volatile variables of such blocks volatile. */
void outline_variables(struct unit *unit);

#endif
