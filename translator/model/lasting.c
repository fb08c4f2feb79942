/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lasting.c - what threads of a region may keep across sync points, other than by a plain name.
 *
 * Arrays, structures, and variables that something points to are such memory, if they are declared
 * in the region or in a function that comes to a construct.  Those in the block of a construct are
 * not: they last for an iteration.  Nor are those of functions that pipelines call: they last until
 * these return, which comes before the next sync point.  But such a function may return a value.
 */
#include "lasting.h"

#include "check/sharing.h"
#include "followed.h"
#include "pipeline.h"
#include "read/unit.h"

struct search {
	const struct unit *unit;
	const struct directive *region; /* whose block is gone through; NULL: a function's is */
	bool pointed;			/* only what something points to counts */
	bool *seen;			/* by function */
};

static bool is_plain(const struct type *type)
{
	return type->kind == TYPE_INTEGER || type->kind == TYPE_FLOATING ||
	       type->kind == TYPE_POINTER;
}

/* Whether each thread has VARIABLE for itself; a function's own variables are all so. */
static bool is_own(const struct search *search, const struct syntax *variable)
{
	const struct directive *region = search->region;
	unsigned int index;

	if (!variable->automatic || !region ||
	    (variable->declaration >= region->body.from && variable->declaration < region->body.to))
		return variable->automatic;
	index = tree_variable_at(&search->unit->tree, variable->declaration);
	return index == NO_VARIABLE || sharing_is_private(sharing_of(region, index));
}

/* Whether PIECE, by itself, is such memory, or leads to some. */
static bool is_memory(const struct search *search, const struct syntax *piece)
{
	switch (piece->kind) {
	case SYNTAX_DECLARATION:
		return piece->automatic && !is_plain(&piece->type) && !search->pointed;
	case SYNTAX_VARIABLE:
		return !is_plain(&piece->type) && is_own(search, piece);
	case SYNTAX_ADDRESS:
		return piece->parts[0]->kind == SYNTAX_VARIABLE && is_own(search, piece->parts[0]);
	case SYNTAX_LIST:
	case SYNTAX_OPAQUE:
	case SYNTAX_STRANGE:
		return true;
	default:
		return false;
	}
}

static bool has_construct(void *context, const struct syntax *piece)
{
	const struct search *search = context;
	const struct directive_list *directives = &search->unit->directives;
	const struct syntax *body;

	if (piece->kind != SYNTAX_CALL || piece->function < 0)
		return false;
	body = search->unit->syntax.functions.items[piece->function].body;
	return directives_from(directives, body->range.from) <
	       directives_from(directives, body->range.to);
}

static bool keeps(struct search *search, const struct syntax *piece, bool statement);

/* The same of the function that CALL calls. */
static bool function_keeps(struct search *search, const struct syntax *call)
{
	const struct syntax_function *function =
		&search->unit->syntax.functions.items[call->function];
	struct search inside = {search->unit, NULL, search->pointed, search->seen};

	if (search->seen[call->function])
		return false;
	search->seen[call->function] = true;
	for (size_t i = 0; i < function->parameters.count && !search->pointed; i++)
		if (!is_plain(&function->parameters.items[i]->type))
			return true;
	return keeps(&inside, function->body, false);
}

/* Whether CALL's function, or one that it calls, comes to a construct. */
static bool comes_to_construct(const struct search *search, const struct syntax *call)
{
	return call->function >= 0 &&
	       syntax_each(&search->unit->syntax, call, has_construct, (void *)search);
}

/* The same of a call; STATEMENT: nothing uses its value. */
static bool call_keeps(struct search *search, const struct syntax *call, bool statement)
{
	if (!comes_to_construct(search, call))
		return false;
	if (!search->pointed && pipeline_at(search->unit, call->range.from))
		return !statement;
	return function_keeps(search, call);
}

/* Whether part INDEX of PIECE is used there itself, as an object or for the time of a call. */
static bool is_used_alone(const struct search *search, const struct syntax *piece,
			  unsigned int index)
{
	switch (piece->kind) {
	case SYNTAX_ELEMENT:
	case SYNTAX_MEMBER:
		return index == 0 && piece->parts[0]->kind == SYNTAX_VARIABLE;
	case SYNTAX_CALL:
		return !comes_to_construct(search, piece);
	case SYNTAX_DECLARATION: /* its first value */
		return !is_plain(&piece->type);
	default:
		return false;
	}
}

/* Whether part INDEX of PIECE is a statement. */
static bool is_statement(const struct syntax *piece, unsigned int index)
{
	switch (piece->kind) {
	case SYNTAX_BLOCK:
		return true;
	case SYNTAX_IF:
	case SYNTAX_LOOP:
		return index > 0;
	case SYNTAX_FOR:
		return index == 3;
	default:
		return false;
	}
}

/* Whether PIECE is such memory, or has some in it; STATEMENT: nothing uses its value. */
static bool keeps(struct search *search, const struct syntax *piece, bool statement)
{
	const struct directive *directive = piece ? followed_governing(search->unit, piece) : NULL;

	/* What is declared in there lasts for an iteration. */
	if (!piece || (directive && directive_is_shared_out(directive)))
		return false;
	if (is_memory(search, piece) ||
	    (piece->kind == SYNTAX_CALL && call_keeps(search, piece, statement)))
		return true;
	for (unsigned int i = 0; i < piece->count; i++)
		if (!(search->pointed && is_used_alone(search, piece, i)) &&
		    keeps(search, piece->parts[i], is_statement(piece, i)))
			return true;
	return false;
}

/* Whether REGION's clauses give threads such memory. */
static bool clauses_give(const struct unit *unit, const struct directive *region)
{
	for (size_t i = 0; i < region->clauses.count; i++) {
		const struct clause *clause = &region->clauses.items[i];

		for (size_t j = 0; j < clause->items.count; j++) {
			unsigned int index = clause->items.items[j].variable;
			const struct variable *variable = &unit->tree.variables.items[index];

			if (sharing_is_private(sharing_of(region, index)) &&
			    (variable->shape != SHAPE_SCALAR || variable->address_taken))
				return true;
		}
	}
	return false;
}

static bool is_kept(const struct unit *unit, const struct directive *region, bool pointed)
{
	const struct syntax *body = syntax_first_from(&unit->syntax, region->body.from);
	struct search search = {
		.unit = unit,
		.region = region,
		.pointed = pointed,
		.seen = memory_new((unit->syntax.functions.count + 1) * sizeof(bool)),
	};
	bool result = !body || keeps(&search, body, false);

	memory_free(search.seen);
	return result;
}

/* A thread may know itself by where its memory is. */
static bool makes_number(void *context, const struct syntax *piece)
{
	(void)context;
	return piece->kind == SYNTAX_CAST && piece->type.kind == TYPE_INTEGER &&
	       piece->parts[0]->type.kind != TYPE_INTEGER &&
	       piece->parts[0]->type.kind != TYPE_FLOATING;
}

bool lasting(const struct unit *unit, const struct directive *region)
{
	return clauses_give(unit, region) || is_kept(unit, region, false) ||
	       syntax_each(&unit->syntax, syntax_first_from(&unit->syntax, region->body.from),
			   makes_number, NULL);
}

bool lasting_pointed(const struct unit *unit, const struct directive *region)
{
	return is_kept(unit, region, true);
}
