/* SPDX-License-Identifier: GPL-2.0-or-later */
/* loop_text.h - writes the loop over LEFT..RIGHT of a loop construct; used by rewrite.c. */
#ifndef CAPE_TRANSLATOR_LOOP_TEXT_H
#define CAPE_TRANSLATOR_LOOP_TEXT_H

#include "read/text.h"

struct unit;
struct directive;

/* Before cape_begin(): first value, limit and step of every loop, and cape_trips. */
void loop_write_trips(const struct unit *unit, const struct directive *directive,
		      struct text *text);
/* From cape_chunk() up to the loop that runs the body; DEPTH counts the scopes opened. */
void loop_write_chunk(const struct unit *unit, const struct directive *directive, struct text *text,
		      unsigned int *depth);
/* Instead of the user's header. */
void loop_write_do(const struct unit *unit, const struct directive *directive, struct text *text,
		   unsigned int depth);
/* Behind the body: the next iteration; closes the scopes down to TO_DEPTH. */
void loop_write_next(const struct unit *unit, const struct directive *directive, struct text *text,
		     unsigned int *depth, unsigned int to_depth);
/* What lastprivate loop variables are after the last iteration. */
void loop_write_last(const struct unit *unit, const struct directive *directive, struct text *text,
		     unsigned int depth);

#endif
