/* SPDX-License-Identifier: GPL-2.0-or-later */
/* shadow.h - private variables: declarations in inner scopes, and what follows the block. */
#ifndef CAPE_TRANSLATOR_SHADOW_H
#define CAPE_TRANSLATOR_SHADOW_H

#include "read/text.h"

struct unit;
struct directive;
struct variable;

/* Opens one or two scopes (DEPTH counts them) that hold the copies of DIRECTIVE's variables. */
void shadow_open(const struct unit *unit, const struct directive *directive, struct text *text,
		 unsigned int *depth);
/* Hands over lastprivate and reduction results and closes the scopes down to TO_DEPTH. */
void shadow_close(const struct unit *unit, const struct directive *directive, struct text *text,
		  unsigned int *depth, unsigned int to_depth);

/*
 * Begins the loop over what this thread gets to do, of one whose reductions are put together thread
 * by thread, as if these came one after the other.
 */
void shadow_write_chunk_of_threads(const struct unit *unit, const struct directive *directive,
				   struct text *text, unsigned int depth);

/* The condition under which the last iteration or section ran here. */
const char *shadow_last(const struct directive *directive);

/* Adds a list of what a task's own copies are made from: names that it has values of its own of. */
void shadow_write_given(const struct unit *unit, const struct directive *task, struct text *text);

/* Adds what gives the copy of VARIABLE, called NAME where it is visible, the same alignment. */
void shadow_write_alignment(const struct variable *variable, const char *name, struct text *text);

#endif
