/* SPDX-License-Identifier: GPL-2.0-or-later */
/* loop_text.h - writes the loop over LEFT..RIGHT of a loop construct or a task of a taskloop. */
#ifndef CAPE_TRANSLATOR_LOOP_TEXT_H
#define CAPE_TRANSLATOR_LOOP_TEXT_H

#include <stdbool.h>
#include "read/statement.h"
#include "read/text.h"

struct unit;
struct directive;

/*
 * Whether the iterations of a parallel loop are to be counted in its region: what a header or a
 * chunk size calls may ask for the team.
 */
bool loop_counts_inside(struct unit *unit, const struct directive *directive);
/* Before cape_begin(), or where they are counted: first value, limit and step of every loop, and
 * cape_trips. */
void loop_write_trips(const struct unit *unit, const struct directive *directive,
		      struct text *text);
/* From cape_chunk() up to the loop that runs the body; DEPTH counts the scopes opened. */
void loop_write_chunk(const struct unit *unit, const struct directive *directive, struct text *text,
		      unsigned int *depth);
/* The same for the one range LEFT..RIGHT that a task of a taskloop has. */
void loop_write_part(const struct unit *unit, const struct directive *directive, struct text *text,
		     unsigned int *depth);
/* A list of the variables of that range and of its loops. */
void loop_write_given(const struct unit *unit, const struct directive *directive,
		      struct text *text);
/* Which iterations these are, beside how many: ", VALUE" for each value; how many values. */
unsigned int loop_write_bounds(const struct unit *unit, const struct directive *directive,
			       struct text *text);
/* The loop that runs the body instead of the user's headers. */
void loop_replace_header(struct unit *unit, const struct directive *directive, unsigned int depth);
/* Puts TEXT, which is taken over, after the body and what closes the user's loops. */
void loop_close(struct unit *unit, const struct directive *directive, char *text);
/* Goes on to the next row, if the construct has several loops. */
void loop_write_next_row(const struct directive *directive, struct text *text, unsigned int depth);
/* After the body: the next iteration; closes the scopes down to TO_DEPTH. */
void loop_write_next(const struct unit *unit, const struct directive *directive, struct text *text,
		     unsigned int *depth, unsigned int to_depth);
/* What lastprivate loop variables are after the last iteration. */
void loop_write_last(const struct unit *unit, const struct directive *directive, struct text *text,
		     unsigned int depth);

/* What the name of the macro ends with that counts the rounds: CAPE_TRIPS_LT(). */
const char *loop_trips(enum loop_relation relation, bool minus);
/* The step of the innermost loop, as it is written after its sign. */
void loop_write_step(const struct unit *unit, const struct directive *directive, struct text *text);

/* After the copies: the loop variables that no clause and no loop declares.  ALL: no loop. */
void loop_write_variables(const struct unit *unit, const struct directive *directive,
			  struct text *text, unsigned int depth, bool all);

#endif
