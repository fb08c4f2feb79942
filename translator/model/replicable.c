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

/* Whether PIECE is a static variable that each thread has for itself. */
static bool is_own(const struct unit *unit, const struct syntax *piece)
{
	unsigned int index = piece->kind == SYNTAX_VARIABLE
				     ? tree_variable_at(&unit->tree, piece->declaration)
				     : NO_VARIABLE;

	return index != NO_VARIABLE && (unit->tree.variables.items[index].threadprivate ||
					unit->tree.variables.items[index].is_thread_local);
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

/* Whether of the construct each part is run by one thread. */
static bool is_shared_out(const struct directive *directive)
{
	return directive->kind == DIRECTIVE_FOR || directive->kind == DIRECTIVE_SECTIONS ||
	       directive->kind == DIRECTIVE_SINGLE || directive->kind == DIRECTIVE_MASTER ||
	       directive->kind == DIRECTIVE_PARALLEL_FOR;
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
	case DIRECTIVE_MASTER:
		return directive_clause(directive, CLAUSE_FILTER) != NULL;
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
	bool *seen[2]; /* by function, where one thread calls it, and where all do */
};

/* Whether CHANGE is rounded by the order of threads, or, REPEATED, comes once for each of them. */
static bool change_shows(const struct search *search, const struct syntax *change, bool repeated)
{
	const struct syntax *object = change->parts[0];

	if (repeated)
		return object->kind != SYNTAX_VARIABLE || !object->automatic;
	return change->type.kind != TYPE_INTEGER && change->type.kind != TYPE_POINTER &&
	       is_in_atomic(search->unit, change);
}

static bool shows(const struct search *search, const struct syntax *piece, bool repeated);

static bool call_shows(const struct search *search, const struct syntax *call, bool repeated)
{
	const struct syntax *body;
	bool *seen;

	if (call->function < 0)
		return !call->word || !strncmp(call->word, "omp_", 4) ||
		       !known_orders_none(call->word) ||
		       (repeated && known_function(call->word) != KNOWN_COMPUTES);
	seen = &search->seen[repeated][call->function];
	if (*seen)
		return false;
	*seen = true;
	body = search->unit->syntax.functions.items[call->function].body;
	return has_telling(search->unit, body->range.from, body->range.to) ||
	       shows(search, body, repeated);
}

/* Whether PIECE may show which thread runs it; REPEATED: each of them does, unless its text says
 * otherwise. */
static bool shows(const struct search *search, const struct syntax *piece, bool repeated)
{
	if (!piece)
		return false;
	repeated = repeated && !is_in_shared_out(search->unit, piece->range.from);
	if (piece->type.is_volatile || piece->type.is_atomic || is_own(search->unit, piece) ||
	    piece->kind == SYNTAX_OPAQUE || piece->kind == SYNTAX_STRANGE ||
	    ((piece->kind == SYNTAX_ASSIGN || piece->kind == SYNTAX_STEP) &&
	     change_shows(search, piece, repeated)) ||
	    (piece->kind == SYNTAX_CALL && call_shows(search, piece, repeated)))
		return true;
	for (unsigned int i = 0; i < piece->count; i++)
		if (shows(search, piece->parts[i], repeated))
			return true;
	return false;
}

/* All of REGION and of what it calls. */
static bool region_shows(const struct unit *unit, const struct directive *region)
{
	size_t count = unit->syntax.functions.count + 1;
	const struct syntax *body = syntax_first_from(&unit->syntax, region->body.from);
	struct search search = {unit, {memory_new(count), memory_new(count)}};
	bool result = !body || shows(&search, body, true);

	memory_free(search.seen[0]);
	memory_free(search.seen[1]);
	return result;
}

bool replicable(const struct unit *unit, const struct directive *directive)
{
	bool loop = directive->kind == DIRECTIVE_PARALLEL_FOR;

	return (loop || (directive->kind == DIRECTIVE_PARALLEL && !directive->master &&
			 !directive_clause(directive, CLAUSE_REDUCTION))) &&
	       directive->parent < 0 && !directive->device && reduces_exactly(unit, directive) &&
	       !has_telling(unit, directive->body.from, directive->body.to) &&
	       !region_shows(unit, directive);
}
