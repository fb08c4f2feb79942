/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * room.c - statements that only read shared memory, by name, and have room for the calls that
 * inform the run time of it: before them, or inside before each expression.
 */
#include "room.h"

#include <stdlib.h>
#include <string.h>

#include "passage.h"
#include "read/unit.h"

#define ROUNDS_MOST                                                                                \
	64 /* of loops in each other: a call in each costs less than that pages change */

static bool would_only_read(const struct rooms *rooms, const struct syntax *piece)
{
	named_list reads = {0};
	bool result = piece && named_reads(rooms->passing, piece, true, &reads);

	list_free(&reads);
	return result;
}

bool room_is_compound(const struct rooms *rooms, const struct syntax *piece)
{
	return piece->kind == SYNTAX_BLOCK &&
	       rooms->passing->unit->source.text.data[piece->range.from] == '{';
}

const struct syntax *room_expression(const struct rooms *rooms, const struct syntax *piece)
{
	switch (piece->kind) {
	case SYNTAX_BLOCK:
		return piece->count == 1 && !room_is_compound(rooms, piece) ? piece->parts[0]
									    : NULL;
	case SYNTAX_IF:
	case SYNTAX_FOR:
	case SYNTAX_LOOP:
	case SYNTAX_LEAVE:
	case SYNTAX_NOTHING:
	case SYNTAX_STRANGE:
		return NULL;
	default:
		return piece;
	}
}

static bool leaves_harmlessly(const struct rooms *rooms, const struct syntax *piece)
{
	if (strcmp(piece->word, "return"))
		return true;
	return rooms->returns &&
	       (!piece->count || named_is_harmless(rooms->passing, piece->parts[0]));
}

/* Whether all of PIECE is harmless, but for what is added to READS, if that is not NULL. */
static bool only_reads(const struct rooms *rooms, const struct syntax *piece, named_list *reads)
{
	if (!piece)
		return true;
	switch (piece->kind) {
	case SYNTAX_BLOCK:
	case SYNTAX_IF:
	case SYNTAX_FOR:
	case SYNTAX_LOOP:
		for (unsigned int i = 0; i < piece->count; i++)
			if (!only_reads(rooms, piece->parts[i], reads))
				return false;
		return true;
	case SYNTAX_LEAVE:
		return leaves_harmlessly(rooms, piece);
	default:
		return reads ? named_reads(rooms->passing, piece, false, reads)
			     : named_is_harmless(rooms->passing, piece);
	}
}

bool room_is_harmless(const struct rooms *rooms, const struct syntax *piece)
{
	return only_reads(rooms, piece, NULL);
}

bool room_in_branches(const struct rooms *rooms, const struct syntax *piece)
{
	for (unsigned int i = 1; i < piece->count; i++) {
		const struct syntax *body = piece->parts[i];

		if (!body || room_is_compound(rooms, body) || room_is_harmless(rooms, body) ||
		    would_only_read(rooms, room_expression(rooms, body)))
			continue;
		if (body->kind != SYNTAX_IF || !would_only_read(rooms, body->parts[0]) ||
		    !room_in_branches(rooms, body))
			return false;
	}
	return true;
}

/* Whether OBJECT has a name in it of what is declared in RANGE. */
static bool names_declared(const struct syntax *object, struct range range)
{
	if (object->kind == SYNTAX_VARIABLE && object->declaration >= range.from &&
	    object->declaration < range.to)
		return true;
	for (unsigned int i = 0; i < object->count; i++)
		if (names_declared(object->parts[i], range))
			return true;
	return false;
}

bool room_before_declarations(const struct rooms *rooms, const struct syntax *piece,
			      named_list *reads)
{
	size_t before = reads->count;
	bool result = piece->kind == SYNTAX_BLOCK && !room_is_compound(rooms, piece);

	for (unsigned int i = 0; result && i < piece->count; i++)
		result = named_reads(rooms->passing, piece->parts[i], true, reads);
	for (size_t i = before; result && i < reads->count; i++)
		result = !names_declared(reads->items[i], piece->range);
	if (!result)
		reads->count = before;
	return result;
}

/* -- loops ------------------------------------------------------------------------------------- */

static bool is_number(const struct syntax *piece, long *number)
{
	if (!piece || piece->kind != SYNTAX_NUMBER || piece->type.kind != TYPE_INTEGER)
		return false;
	*number = strtol(piece->word, NULL, 0);
	return true;
}

/* The rounds of for (i = 1; i < 4; i++) and the like, if nothing else changes i; else too many. */
static long rounds_of(const struct syntax *loop)
{
	const struct syntax *first = loop->parts[0], *condition = loop->parts[1];
	const struct syntax *step = loop->parts[2];
	long low = 0, high = 0;

	while (first && first->kind == SYNTAX_BLOCK && first->count == 1)
		first = first->parts[0];
	if (first && first->kind == SYNTAX_ASSIGN)
		first = first->parts[1];
	else if (first && first->kind == SYNTAX_DECLARATION && first->count)
		first = first->parts[0];
	if (!is_number(first, &low) || !condition || condition->kind != SYNTAX_BINARY ||
	    condition->parts[0]->kind != SYNTAX_VARIABLE || !is_number(condition->parts[1], &high))
		return ROUNDS_MOST + 1;
	if (!step || step->kind != SYNTAX_STEP)
		return ROUNDS_MOST + 1;
	if (labs(high - low) >= ROUNDS_MOST)
		return ROUNDS_MOST + 1;
	return labs(high - low) + 1;
}

/* How often what reads in PIECE may do so, each time that PIECE runs; at most too many. */
static long rounds_in(const struct rooms *rooms, const struct syntax *piece)
{
	long most = 1;

	if (!piece || room_is_harmless(rooms, piece))
		return 1;
	if (piece->kind == SYNTAX_LOOP)
		return ROUNDS_MOST + 1;
	for (unsigned int i = 0; i < piece->count; i++) {
		long rounds = rounds_in(rooms, piece->parts[i]);

		most = rounds > most ? rounds : most;
	}
	if (piece->kind == SYNTAX_FOR)
		most *= rounds_of(piece);
	return most > ROUNDS_MOST ? ROUNDS_MOST + 1 : most;
}

bool room_takes_few_rounds(const struct rooms *rooms, const struct syntax *loop)
{
	return rounds_in(rooms, loop) <= ROUNDS_MOST;
}

/* -- before ------------------------------------------------------------------------------------ */

bool room_before(const struct rooms *rooms, const struct syntax *piece, named_list *reads)
{
	size_t before = reads->count;
	bool result = only_reads(rooms, piece, reads);

	if (!result)
		reads->count = before;
	return result;
}
