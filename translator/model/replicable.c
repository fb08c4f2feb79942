/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * replicable.c - regions that may as well be run in whole by every node.
 *
 * A loop that a team shares out comes to the same with a team of one, unless something shows which
 * thread ran what: the routines that ask for the team, static variables that threads have of their
 * own, and sums of floating numbers, which are rounded by the order in which they are added.
 */
#include "replicable.h"

#include <string.h>

#include "read/directive_facts.h"
#include "read/known.h"
#include "read/unit.h"

bool replicable_has_thread_local(const struct unit *unit)
{
	for (size_t i = 0; i < unit->directives.list.count; i++)
		if (unit->directives.list.items[i].kind == DIRECTIVE_THREADPRIVATE)
			return true;
	return strstr(unit->source.text.data, "_Thread_local") ||
	       strstr(unit->source.text.data, "__thread");
}

/* Whether only integers are put together in the end. */
static bool reduces_exactly(const struct unit *unit, const struct directive *directive)
{
	for (size_t i = 0; i < directive->clauses.count; i++) {
		const struct clause *clause = &directive->clauses.items[i];

		for (size_t j = 0; clause->kind == CLAUSE_REDUCTION && j < clause->items.count;
		     j++) {
			const struct variable *variable =
				&unit->tree.variables.items[clause->items.items[j].variable];

			if (variable->shape != SHAPE_SCALAR || !variable->arithmetic ||
			    variable->floating)
				return false;
		}
	}
	return true;
}

/* Whether the construct is run by some thread each part of it, whichever that is. */
static bool is_shared_out(const struct directive *directive)
{
	return directive->kind == DIRECTIVE_FOR || directive->kind == DIRECTIVE_SECTIONS ||
	       directive->kind == DIRECTIVE_SINGLE || directive->kind == DIRECTIVE_PARALLEL_FOR;
}

/* Whether what is at OFFSET is run by one thread alone, as far as the text around it shows. */
static bool is_in_shared_out(const struct unit *unit, unsigned int offset)
{
	for (size_t i = 0; i < unit->directives.list.count; i++) {
		const struct directive *directive = &unit->directives.list.items[i];

		if (is_shared_out(directive) && offset >= directive->body.from &&
		    offset < directive->body.to)
			return true;
	}
	return false;
}

/* Whether DIRECTIVE, inside of a region, may show which thread runs what. */
static bool is_telling(const struct unit *unit, const struct directive *directive)
{
	switch (directive->kind) {
	case DIRECTIVE_IGNORED:
	case DIRECTIVE_SIMD:
	case DIRECTIVE_BARRIER:
	case DIRECTIVE_SECTION:
		return false;
	case DIRECTIVE_ATOMIC:
		return !is_in_shared_out(unit, directive->offset);
	default:
		return !is_shared_out(directive) || directive->kind == DIRECTIVE_PARALLEL_FOR ||
		       !reduces_exactly(unit, directive);
	}
}

/* Whether one of those in the text FROM .. TO may. */
static bool has_telling(const struct unit *unit, unsigned int from, unsigned int to)
{
	for (size_t i = 0; i < unit->directives.list.count; i++) {
		const struct directive *directive = &unit->directives.list.items[i];

		if (directive->offset >= from && directive->offset < to &&
		    is_telling(unit, directive))
			return true;
	}
	return false;
}

static bool is_in_atomic(const struct unit *unit, const struct syntax *piece)
{
	for (size_t i = 0; i < unit->directives.list.count; i++) {
		const struct directive *directive = &unit->directives.list.items[i];

		if (directive->kind == DIRECTIVE_ATOMIC &&
		    piece->range.from >= directive->body.from &&
		    piece->range.to <= directive->body.to)
			return true;
	}
	return false;
}

struct search {
	const struct unit *unit;
	const struct syntax *body; /* of the region */
};

/* Whether each thread runs PIECE, so that it comes as often as there are threads. */
static bool is_repeated(const struct search *search, const struct syntax *piece)
{
	return syntax_contains(search->body, piece->range.from) &&
	       !is_in_shared_out(search->unit, piece->range.from);
}

/* Whether PIECE, a change, is rounded by the order of threads, or comes once for each of them. */
static bool change_shows(const struct search *search, const struct syntax *piece)
{
	const struct syntax *object = piece->parts[0];
	bool exact = piece->type.kind == TYPE_INTEGER || piece->type.kind == TYPE_POINTER;

	if (is_repeated(search, piece))
		return object->kind != SYNTAX_VARIABLE || !object->automatic;
	return !exact && is_in_atomic(search->unit, piece);
}

static bool call_shows(const struct search *search, const struct syntax *call)
{
	const struct syntax *body;

	if (call->function < 0)
		return !call->word || !strncmp(call->word, "omp_", 4) ||
		       !known_orders_none(call->word) ||
		       (is_repeated(search, call) && known_function(call->word) != KNOWN_COMPUTES);
	body = search->unit->syntax.functions.items[call->function].body;
	return is_repeated(search, call) ||
	       has_telling(search->unit, body->range.from, body->range.to);
}

/* Whether PIECE may show which thread runs it. */
static bool shows(void *context, const struct syntax *piece)
{
	const struct search *search = context;

	if (piece->type.is_volatile || piece->type.is_atomic)
		return true;
	switch (piece->kind) {
	case SYNTAX_OPAQUE:
	case SYNTAX_STRANGE:
		return true;
	case SYNTAX_ASSIGN:
	case SYNTAX_STEP:
		return change_shows(search, piece);
	case SYNTAX_CALL:
		return call_shows(search, piece);
	default:
		return false;
	}
}

bool replicable(const struct unit *unit, const struct directive *directive)
{
	struct search search = {unit, NULL};

	if ((directive->kind != DIRECTIVE_PARALLEL_FOR && directive->kind != DIRECTIVE_PARALLEL) ||
	    directive->parent >= 0 || directive->device || directive->master ||
	    !reduces_exactly(unit, directive) ||
	    (directive->kind == DIRECTIVE_PARALLEL &&
	     directive_clause(directive, CLAUSE_REDUCTION)) ||
	    has_telling(unit, directive->body.from, directive->body.to) ||
	    replicable_has_thread_local(unit))
		return false;
	search.body = syntax_first_from(&unit->syntax, directive->body.from);
	return search.body && !syntax_each(&unit->syntax, search.body, shows, &search);
}
