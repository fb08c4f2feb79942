/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * turns.c - regions whose threads may as well run one after the other.
 *
 * That is one of the ways in which they may run at the same time, unless one of them waits for
 * another: at a sync point that something flows across, or in a loop that looks again and again for
 * what another one changes.
 */
#include "turns.h"

#include <string.h>

#include "check/sharing.h"
#include "followed.h"
#include "jumps.h"
#include "read/directive_facts.h"
#include "read/known.h"
#include "read/unit.h"
#include "replicable.h"
#include "scope.h"
#include "stretches.h"

struct search {
	const struct unit *unit;
	const struct syntax *body; /* the region's */
	bool *seen[2];		   /* by function, and whether it may be called again and again */
	bool *within;		   /* by function: it is being gone through */
};

/* Whether a variable gets a last value where other threads take their first ones. */
static bool hands_on(const struct directive *directive)
{
	for (size_t i = 0; i < directive->clauses.count; i++) {
		const struct clause *clause = &directive->clauses.items[i];

		for (size_t j = 0; clause->kind == CLAUSE_LASTPRIVATE && j < clause->items.count;
		     j++)
			if (clause->linear ||
			    sharing_of(directive, clause->items.items[j].variable) ==
				    SHARING_FIRST_LASTPRIVATE)
				return true;
	}
	return false;
}

/* Whether threads wait for each other inside of the construct, or the order shows of what they do.
 */
static bool is_together(const struct unit *unit, const struct directive *directive)
{
	switch (directive->kind) {
	case DIRECTIVE_IGNORED:
	case DIRECTIVE_SIMD:
	case DIRECTIVE_BARRIER:
	case DIRECTIVE_SECTION:
	case DIRECTIVE_ATOMIC:
	case DIRECTIVE_CRITICAL:
		return false;
	case DIRECTIVE_MASTER:
		return directive_clause(directive, CLAUSE_FILTER) != NULL;
	case DIRECTIVE_FOR:
		return directive->device || hands_on(directive) ||
		       directive_clause(directive, CLAUSE_ORDERED) ||
		       !replicable_reduces_exactly(unit, directive);
	case DIRECTIVE_SECTIONS:
	case DIRECTIVE_SINGLE:
		return hands_on(directive) || directive_clause(directive, CLAUSE_COPYPRIVATE) ||
		       directive_clause(directive, CLAUSE_REDUCTION);
	default:
		return true;
	}
}

/* The same of something in RANGE, or at its end, unless it divides REGION, if that is not NULL. */
static bool has_together(const struct unit *unit, struct range range,
			 const struct directive *region)
{
	const struct directive_list *directives = &unit->directives;
	size_t end = directives_from(directives, range.to);

	for (size_t i = directives_from(directives, range.from); i < end; i++) {
		const struct directive *directive = &directives->list.items[i];

		if (is_together(unit, directive) ||
		    (directive_ends_with_barrier(directive) &&
		     !(region && stretches_divides(unit, region, directive))))
			return true;
	}
	return false;
}

/* Whether VARIABLE is one that only its name leads to. */
static bool is_plain(const struct unit *unit, const struct syntax *variable)
{
	unsigned int index = variable->kind == SYNTAX_VARIABLE && variable->automatic
				     ? tree_variable_at(&unit->tree, variable->declaration)
				     : NO_VARIABLE;

	return index != NO_VARIABLE && !unit->tree.variables.items[index].address_taken;
}

/* Whether VALUE stays as it is while SEARCH's region runs, as far as names say. */
static bool stays(const struct search *search, const struct syntax *value)
{
	switch (value->kind) {
	case SYNTAX_NUMBER:
		return true;
	case SYNTAX_VARIABLE:
		return value->type.kind == TYPE_INTEGER &&
		       (!value->automatic || is_plain(search->unit, value)) &&
		       !scope_changes(&search->unit->syntax, search->body, value->declaration);
	case SYNTAX_BINARY:
		return stays(search, value->parts[0]) && stays(search, value->parts[1]);
	case SYNTAX_UNARY:
	case SYNTAX_CAST:
		return stays(search, value->parts[0]);
	default:
		return false;
	}
}

static bool is_limit(const struct search *search, const struct syntax *condition)
{
	return condition && condition->kind == SYNTAX_BINARY &&
	       (condition->word[0] == '<' || condition->word[0] == '>') &&
	       (!condition->word[1] || condition->word[1] == '=') &&
	       stays(search, condition->parts[1]);
}

/*
 * Whether LOOP ends by itself: it is shared out, or counts up or down to a limit, and nothing else
 * ends it.
 */
static bool counts(const struct search *search, const struct syntax *loop)
{
	const struct unit *unit = search->unit;
	const struct directive *directive = followed_governing(unit, loop);
	const struct syntax *until = loop->kind == SYNTAX_FOR ? loop->parts[1] : NULL;
	const struct syntax *step = until ? loop->parts[2] : NULL;
	const struct syntax *body = loop->parts[loop->count - 1], *counter;

	if (directive && directive_is(directive->kind, IS_LOOP))
		return true;
	if (!step || !is_limit(search, until) || step->kind != SYNTAX_STEP ||
	    until->parts[0]->kind != SYNTAX_VARIABLE)
		return false;
	counter = step->parts[0];
	return is_plain(unit, counter) && until->parts[0]->declaration == counter->declaration &&
	       !jumps_leave(body, "break") && !jumps_leave(body, "return") &&
	       !(body && scope_changes(&unit->syntax, body, counter->declaration));
}

/* Whether PIECE looks at what other threads may change just then. */
static bool looks(const struct search *search, const struct syntax *piece)
{
	const struct directive *directive = followed_governing(search->unit, piece);

	return directive &&
	       (directive->kind == DIRECTIVE_CRITICAL || directive->kind == DIRECTIVE_ATOMIC);
}

static bool waits(struct search *search, const struct syntax *piece, bool again);

/* Whether the library's function NAME does the same where a thread has a turn. */
static bool is_alike(const char *name)
{
	static const char *const answers[] = {"omp_get_thread_num", "omp_get_num_threads",
					      "omp_get_wtime", "omp_get_wtick"};

	for (size_t i = 0; i < sizeof answers / sizeof *answers; i++)
		if (!strcmp(name, answers[i]))
			return true;
	return strncmp(name, "omp_", 4) && known_orders_none(name);
}

static bool call_waits(struct search *search, const struct syntax *call, bool again)
{
	const struct syntax *body;
	bool *seen, within, result;

	if (call->function < 0)
		return !call->word || !is_alike(call->word);
	within = search->within[call->function];
	/* A function that calls itself is a loop, too. */
	again |= search->within[call->function];
	seen = &search->seen[again][call->function];
	if (*seen)
		return false;
	*seen = true;
	body = search->unit->syntax.functions.items[call->function].body;
	search->within[call->function] = true;
	result = has_together(search->unit, body->range, NULL) || waits(search, body, again);
	search->within[call->function] = within;
	return result;
}

/* Whether PIECE may wait for other threads; AGAIN: it is in a loop that may do so for ever. */
static bool waits(struct search *search, const struct syntax *piece, bool again)
{
	bool is_loop;

	if (!piece)
		return false;
	if (piece->type.is_volatile || piece->type.is_atomic ||
	    (piece->kind == SYNTAX_VARIABLE &&
	     tree_is_threads_own(&search->unit->tree, piece->declaration)) ||
	    piece->kind == SYNTAX_OPAQUE || piece->kind == SYNTAX_STRANGE ||
	    (again && looks(search, piece)) ||
	    (piece->kind == SYNTAX_CALL && call_waits(search, piece, again)))
		return true;
	is_loop = piece->kind == SYNTAX_FOR || piece->kind == SYNTAX_LOOP;
	again |= is_loop && !counts(search, piece);
	for (unsigned int i = 0; i < piece->count; i++)
		/* What a loop's limit is, is looked at again and again in any case. */
		if (waits(search, piece->parts[i], again || (is_loop && i + 1 < piece->count)))
			return true;
	return false;
}

bool turns_are_alike(const struct unit *unit, const struct directive *region)
{
	size_t count = unit->syntax.functions.count + 1;
	const struct syntax *body = syntax_first_from(&unit->syntax, region->body.from);
	struct search search = {
		unit, body, {memory_new(count), memory_new(count)}, memory_new(count)};
	bool alike = body && !has_together(unit, region->body, region) &&
		     !waits(&search, body, false) && stretches_are_apart(unit, region);

	memory_free(search.seen[0]);
	memory_free(search.seen[1]);
	memory_free(search.within);
	return alike;
}
