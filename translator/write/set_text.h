/* SPDX-License-Identifier: GPL-2.0-or-later */
/* set_text.h - writes what tells the run time the sets of a loop (cape_sets.h). */
#ifndef CAPE_TRANSLATOR_SET_TEXT_H
#define CAPE_TRANSLATOR_SET_TEXT_H

#include "model/even.h"
#include "model/sets.h"

struct pipeline;

/*
 * Where a part of DIRECTIVE's loop is about to run, whose variables are set: the sets of its
 * iterations, and that they are complete.  DEPTH is that of the text around.
 */
void set_text_write(struct unit *unit, const struct directive *directive, struct text *text,
		    unsigned int depth);

/* The boxes alone. */
void set_text_write_boxes(struct unit *unit, const struct directive *directive, struct text *text,
			  unsigned int depth, enum telling telling);

/* Before the sets are described: what decides on them; what else is read. */
void set_text_write_need(struct unit *unit, const struct directive *directive, struct text *text,
			 unsigned int depth);
/* How much that is, in bytes, or 0: any memory. */
void set_text_write_somewhere_size(const struct directive *directive, struct text *text);
void set_text_write_somewhere(const struct directive *directive, struct text *text,
			      unsigned int depth);

/* What one thread accesses in a pipeline, by its number. */
void set_text_write_pipeline(struct unit *unit, const struct pipeline *pipeline, struct text *text,
			     unsigned int depth, enum telling telling);

/* After the last part of the loop. */
void set_text_write_end(const struct unit *unit, const struct directive *directive,
			struct text *text, unsigned int depth);

#endif
