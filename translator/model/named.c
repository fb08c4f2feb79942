/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * named.c - what an expression reads of shared memory, where the expression names it: scalars,
 * elements and members whose places follow from variables, and from memory that is named, too.
 *
 * The places are found before the expression is evaluated: so it may change nothing on the way.
 */
#include "named.h"

#include <string.h>

#include "passage.h"
#include "read/unit.h"
#include "scope.h"

struct search {
	struct passing *passing;
	named_list *reads;
	bool certain; /* what is looked at is evaluated */
};

static bool find(struct search *search, const struct syntax *piece);

/* Nodes ask each other for the time; a handler may look at what is volatile. */
static bool is_special(void *context, const struct syntax *piece)
{
	(void)context;
	if (piece->kind == SYNTAX_CALL && piece->word && !strcmp(piece->word, "omp_get_wtime"))
		return true;
	return piece->type.is_volatile ||
	       (piece->kind == SYNTAX_DECLARATION && piece->type.variable_size);
}

static bool is_ordinary(const struct passing *passing, const struct syntax *piece)
{
	return !syntax_each(&passing->unit->syntax, piece, is_special, NULL);
}

/* -- places ------------------------------------------------------------------------------------ */

/* Whether the place of an object can be written down again, as a part of which PIECE stands. */
static bool can_be_written(const struct syntax *piece)
{
	switch (piece->kind) {
	case SYNTAX_CAST:
		return !strstr(piece->type.name, " at ");
	case SYNTAX_NUMBER:
	case SYNTAX_VARIABLE:
	case SYNTAX_ELEMENT:
	case SYNTAX_MEMBER:
	case SYNTAX_TARGET:
	case SYNTAX_ADDRESS:
	case SYNTAX_UNARY:
	case SYNTAX_BINARY:
		return !piece->word || strcmp(piece->word, ",") != 0;
	default:
		return false;
	}
}

static bool is_plain(const struct type *type)
{
	return !type->is_volatile && !type->is_atomic && !type->variable_size && !type->bit_field;
}

/* Whether all of the place may be written down, and found again. */
static bool is_repeatable(const struct syntax *piece)
{
	if (!can_be_written(piece) || (syntax_is_object(piece) && !is_plain(&piece->type)))
		return false;
	for (unsigned int i = 0; i < piece->count; i++)
		if (!is_repeatable(piece->parts[i]))
			return false;
	return true;
}

/* Whether the place is the same at any time: that of a variable, or of a member of one. */
static bool is_fixed(const struct syntax *object)
{
	while (object->kind == SYNTAX_MEMBER && !object->arrow)
		object = object->parts[0];
	return object->kind == SYNTAX_VARIABLE;
}

/* What is read to find where OBJECT is. */
static bool find_place(struct search *search, const struct syntax *object)
{
	switch (object->kind) {
	case SYNTAX_VARIABLE:
		return true;
	case SYNTAX_ELEMENT:
		return (object->parts[0]->type.kind == TYPE_ARRAY &&
					syntax_is_object(object->parts[0])
				? find_place(search, object->parts[0])
				: find(search, object->parts[0])) &&
		       find(search, object->parts[1]);
	case SYNTAX_MEMBER:
		if (!object->arrow)
			return syntax_is_object(object->parts[0]) &&
			       find_place(search, object->parts[0]);
		return find(search, object->parts[0]);
	case SYNTAX_TARGET:
		return find(search, object->parts[0]);
	default:
		return false;
	}
}

static bool find_object(struct search *search, const struct syntax *object)
{
	if (!is_repeatable(object) || (!search->certain && !is_fixed(object)) ||
	    !find_place(search, object))
		return false;
	/* The name of an array is its address. */
	if (object->type.kind != TYPE_ARRAY)
		*list_add(search->reads) = object;
	return true;
}

/* -- expressions ------------------------------------------------------------------------------- */

static bool find_in_parts(struct search *search, const struct syntax *piece)
{
	for (unsigned int i = 0; i < piece->count; i++)
		if (piece->parts[i] && !find(search, piece->parts[i]))
			return false;
	return true;
}

/* The first part is evaluated, the others perhaps. */
static bool find_in_condition(struct search *search, const struct syntax *piece)
{
	bool certain = search->certain, found = find(search, piece->parts[0]);

	search->certain = false;
	for (unsigned int i = 1; i < piece->count; i++)
		found = found && find(search, piece->parts[i]);
	search->certain = certain;
	return found;
}

static bool find(struct search *search, const struct syntax *piece)
{
	if (passage_is_harmless(search->passing, piece))
		return true;
	if (syntax_is_object(piece))
		return find_object(search, piece);
	switch (piece->kind) {
	case SYNTAX_BINARY:
		if (!strcmp(piece->word, "&&") || !strcmp(piece->word, "||"))
			return find_in_condition(search, piece);
		return find_in_parts(search, piece);
	case SYNTAX_CHOICE:
		return find_in_condition(search, piece);
	case SYNTAX_UNARY:
	case SYNTAX_CAST:
		return find_in_parts(search, piece);
	case SYNTAX_ADDRESS:
		return is_repeatable(piece) && find_place(search, piece->parts[0]);
	case SYNTAX_CALL:
		return passage_may_call(search->passing, piece) && find_in_parts(search, piece);
	default:
		return false;
	}
}

/* An automatic variable, or an element or a member of one, whose place is found by such alone. */
static bool is_own(struct passing *passing, const struct syntax *object)
{
	const struct syntax *variable = scope_variable(object);

	return variable && variable->automatic && passage_is_harmless(passing, object);
}

/* What gives an automatic variable a value, at the end: the value. */
static const struct syntax *value_of(struct passing *passing, const struct syntax *piece)
{
	if (piece->kind == SYNTAX_DECLARATION && piece->automatic && piece->count &&
	    piece->parts[0] && !piece->type.is_volatile && !piece->type.variable_size)
		piece = piece->parts[0];
	while (piece->kind == SYNTAX_ASSIGN && is_own(passing, piece->parts[0]))
		piece = piece->parts[1];
	return piece;
}

bool named_is_harmless(struct passing *passing, const struct syntax *piece)
{
	return passage_is_harmless(passing, piece) && (!piece || is_ordinary(passing, piece));
}

bool named_reads(struct passing *passing, const struct syntax *piece, bool certain,
		 named_list *reads)
{
	struct search search = {passing, reads, certain};
	size_t before = reads->count;
	const struct syntax *value;

	if (!piece || named_is_harmless(passing, piece))
		return true;
	if (!is_ordinary(passing, piece))
		return false;
	value = value_of(passing, piece);
	if (!syntax_has(value, SYNTAX_ASSIGN, SYNTAX_STEP) && find(&search, value))
		return true;
	reads->count = before;
	return false;
}
