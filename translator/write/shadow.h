/* SPDX-License-Identifier: GPL-2.0-or-later */
/* shadow.h - private variables: declarations in inner scopes, and what follows the block. */
#ifndef CAPE_TRANSLATOR_SHADOW_H
#define CAPE_TRANSLATOR_SHADOW_H

#include "read/text.h"

struct unit;
struct clause;
struct directive;
struct item;

/* Opens one or two scopes (DEPTH counts them) that hold the copies of DIRECTIVE's variables. */
void shadow_open(const struct unit *unit, const struct directive *directive, struct text *text,
		 unsigned int *depth);
/* The same for the copies of in_reduction alone. */
void shadow_open_in_reduction(const struct unit *unit, const struct directive *directive,
			      struct text *text, unsigned int *depth);
/* Hands over lastprivate and reduction results and closes the scopes down to TO_DEPTH. */
void shadow_close(const struct unit *unit, const struct directive *directive, struct text *text,
		  unsigned int *depth, unsigned int to_depth);

/* Only the parts of in_reduction. */
void shadow_close_in_reduction(const struct unit *unit, const struct directive *directive,
			       struct text *text, unsigned int *depth, unsigned int to_depth);

/*
 * Begins the task reductions of taskgroup or taskloop, of which there is no copy; returns how many
 * variables they have, for shadow_leave_scopes().
 */
unsigned int shadow_write_scopes(const struct unit *unit, const struct directive *directive,
				 struct text *text, unsigned int depth);
void shadow_leave_scopes(unsigned int count, struct text *text, unsigned int depth);

/* Where the array section of an in_reduction lies, as variables that a task can be sent. */
void shadow_write_section(const struct unit *unit, const struct directive *directive,
			  const struct clause *clause, const struct item *item, struct text *text,
			  unsigned int depth);

/* Adds DEPTH tabs. */
void indent(struct text *text, unsigned int depth);

#endif
