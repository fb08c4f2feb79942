/* SPDX-License-Identifier: GPL-2.0-or-later */
/* room.h - statements that only read shared memory, by name, and have room for calls before that.
 */
#ifndef CAPE_TRANSLATOR_ROOM_H
#define CAPE_TRANSLATOR_ROOM_H

#include <stdbool.h>

#include "named.h"

/* What statements of a function are asked about: whether a return of it does no harm, too. */
struct rooms {
	struct passing *passing;
	bool returns;
};

/* In braces; else it is a declaration of several variables. */
bool room_is_compound(const struct rooms *rooms, const struct syntax *piece);

/* PIECE, or the one declaration in it; NULL: it is another statement. */
const struct syntax *room_expression(const struct rooms *rooms, const struct syntax *piece);

/* Whether all of PIECE, which may be NULL, works on automatic variables. */
bool room_is_harmless(const struct rooms *rooms, const struct syntax *piece);

/* Whether all that stands in PIECE, an if, has room for the calls that it needs. */
bool room_in_branches(const struct rooms *rooms, const struct syntax *piece);

/* Whether the declarations of PIECE read what has its place before all of them: that is added. */
bool room_before_declarations(const struct rooms *rooms, const struct syntax *piece,
			      named_list *reads);

/* Whether a loop takes so few rounds that a call before each expression in it costs little. */
bool room_takes_few_rounds(const struct rooms *rooms, const struct syntax *loop);

/*
 * Whether all that PIECE reads, and does no harm besides, has its place before it: that is added to
 * READS, which is as it was if not.
 */
bool room_before(const struct rooms *rooms, const struct syntax *piece, named_list *reads);

#endif
