/* SPDX-License-Identifier: GPL-2.0-or-later */
/* followed.h - what threads do between two sync points, as far as it can be described. */
#ifndef CAPE_TRANSLATOR_FOLLOWED_H
#define CAPE_TRANSLATOR_FOLLOWED_H

#include <stdbool.h>

#include "read/syntax.h"

struct directive;
struct unit;

/* The first iterators of a pipeline: the thread's number, and how many threads there are. */
enum followed_number { FOLLOWED_THREAD, FOLLOWED_THREADS, FOLLOWED_NUMBERS };

/* Whether what DIRECTIVE says is followed. */
bool followed_is(const struct directive *directive);

/* The directive that governs PIECE, or NULL. */
const struct directive *followed_governing(const struct unit *unit, const struct syntax *piece);

/* The directive that governs the innermost loop around OFFSET, or NULL. */
const struct directive *followed_loop_around(const struct unit *unit, unsigned int offset);

/* The construct by which a team shares out LOOP, or NULL. */
const struct directive *followed_sharing(const struct unit *unit, const struct syntax *loop);

/* Whether STATEMENT is that of an atomic construct. */
bool followed_is_atomic(const struct unit *unit, const struct syntax *statement);

/* The value of CALL, if it is one of the numbers; else NULL. */
struct syntax *followed_number(struct syntax_trees *trees, const struct syntax *call);

/*
 * Whether the innermost loop around FLUSH is shared out: each iteration comes once, so none of them
 * waits by looking again.
 */
bool followed_is_step(const struct unit *unit, const struct directive *flush);

#endif
