/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * replicable.c - regions that may as well be run in whole by every node.
 *
 * A loop that a team shares out comes to the same with a team of one, unless something shows which
 * thread ran what: the routines that ask for the team, static variables that threads have of their
 * own, values that they carry from iteration to iteration, threads that wait for each other, and
 * sums of floating numbers, which are rounded by the order in which they are added.  That order can
 * be kept in loops that are shared out in the same way each time.
 */
#include "replicable.h"

#include <string.h>

#include "carried.h"
#include "followed.h"
#include "lasting.h"
#include "read/directive_facts.h"
#include "read/known.h"
#include "read/unit.h"
#include "turns.h"

/* Whether what is put together in the end are single numbers, integers unless FLOATING. */
static bool reduces_numbers(const struct unit *unit, const struct directive *directive,
			    bool floating)
{
	for (size_t i = 0; i < directive->clauses.count; i++) {
		const struct clause *clause = &directive->clauses.items[i];

		for (size_t j = 0; clause->kind == CLAUSE_REDUCTION && j < clause->items.count;
		     j++) {
			const struct item *item = &clause->items.items[j];
			const struct variable *variable =
				&unit->tree.variables.items[item->variable];

			if (variable->shape != SHAPE_SCALAR || !variable->arithmetic ||
			    item->section_count || item->declared || item->own ||
			    (variable->floating && !floating))
				return false;
		}
	}
	return true;
}

bool replicable_by_threads(const struct unit *unit, const struct directive *directive)
{
	const struct clause *schedule = directive_clause(directive, CLAUSE_SCHEDULE);

	return directive_is(directive->kind, IS_LOOP) && !directive->device &&
	       !directive_clause(directive, CLAUSE_ORDERED) &&
	       (!schedule || (schedule->call && !strcmp(schedule->call, "cape_schedule_static"))) &&
	       reduces_numbers(unit, directive, true) && !reduces_numbers(unit, directive, false);
}

bool replicable_reduces_exactly(const struct unit *unit, const struct directive *directive)
{
	return reduces_numbers(unit, directive, false) || replicable_by_threads(unit, directive);
}

/* Where directives stand in a region, or in a function: from FIRST up to END. */
struct stretch {
	const struct directive *first, *end;
};

static struct stretch stretch_of(const struct unit *unit, struct range range)
{
	const struct directive *list = unit->directives.list.items;

	return (struct stretch){list + directives_from(&unit->directives, range.from),
				list + directives_from(&unit->directives, range.to)};
}

bool replicable_shares_in(const struct unit *unit, struct range range)
{
	struct stretch stretch = stretch_of(unit, range);

	for (const struct directive *one = stretch.first; one < stretch.end; one++)
		if (directive_is_shared_out(one))
			return true;
	return false;
}

const struct directive *replicable_shared_out_at(const struct unit *unit,
						 const struct directive *first, unsigned int offset)
{
	const struct directive *around = directive_around(&unit->directives, offset);

	while (around && around >= first && !directive_is_shared_out(around))
		around = directive_parent(&unit->directives, around);
	return around && around >= first ? around : NULL;
}

/* Whether what is at OFFSET is run by one thread alone, as far as STRETCH shows. */
static bool is_in_shared_out(const struct unit *unit, struct stretch stretch, unsigned int offset)
{
	return replicable_shared_out_at(unit, stretch.first, offset) != NULL;
}

/* Nothing stands in the statement of an atomic construct but what it changes. */
static bool is_in_atomic(const struct unit *unit, unsigned int offset)
{
	const struct directive *around = directive_around(&unit->directives, offset);

	return around && around->kind == DIRECTIVE_ATOMIC;
}

/* Whether a thread may come to ATOMIC again and again until another one has changed what it reads.
 */
static bool may_wait(const struct unit *unit, const struct directive *atomic)
{
	const struct clause *access = directive_clause(atomic, CLAUSE_ACCESS);
	const struct directive *loop;

	if (!access || !strcmp(access->name, "update"))
		return false;
	loop = followed_loop_around(unit, atomic->offset);
	return !loop || !directive_is(loop->kind, IS_LOOP);
}

struct search {
	const struct unit *unit;
	struct stretch stretch; /* what is gone through */
	bool waits;		/* threads may wait for each other by flushes */
	bool *seen[2];		/* by function, where one thread calls it, and where all do */
};

/* Whether DIRECTIVE may show which thread runs what; REPEATED: all of them come to it. */
static bool is_telling(const struct search *search, const struct directive *directive,
		       bool repeated)
{
	const struct unit *unit = search->unit;

	switch (directive->kind) {
	case DIRECTIVE_FLUSH:
		return !search->waits;
	case DIRECTIVE_IGNORED:
	case DIRECTIVE_SIMD:
	case DIRECTIVE_BARRIER:
	case DIRECTIVE_SECTION:
		return false;
	case DIRECTIVE_ATOMIC:
		return repeated || may_wait(unit, directive);
	case DIRECTIVE_MASTER:
		return directive_clause(directive, CLAUSE_FILTER) != NULL;
	default:
		return !directive_is_shared_out(directive) ||
		       directive->kind == DIRECTIVE_PARALLEL_FOR ||
		       !replicable_reduces_exactly(unit, directive);
	}
}

static bool has_telling(const struct search *search, bool repeated)
{
	const struct stretch *stretch = &search->stretch;

	for (const struct directive *one = stretch->first; one < stretch->end; one++)
		if (is_telling(search, one,
			       repeated && !is_in_shared_out(search->unit, *stretch, one->offset)))
			return true;
	return false;
}

/* Whether CHANGE is rounded by the order of threads, or, REPEATED, comes once for each of them. */
static bool change_shows(const struct search *search, const struct syntax *change, bool repeated)
{
	const struct syntax *object = change->parts[0];

	if (repeated)
		return object->kind != SYNTAX_VARIABLE || !object->automatic;
	return change->type.kind != TYPE_INTEGER && change->type.kind != TYPE_POINTER &&
	       is_in_atomic(search->unit, change->range.from);
}

static bool shows(struct search *search, const struct syntax *piece, bool repeated);

static bool call_shows(struct search *search, const struct syntax *call, bool repeated)
{
	struct stretch around = search->stretch;
	const struct syntax *body;
	bool *seen, result;

	if (call->function < 0)
		return !call->word || !strncmp(call->word, "omp_", 4) ||
		       !known_orders_none(call->word) ||
		       (repeated && known_function(call->word) != KNOWN_COMPUTES);
	seen = &search->seen[repeated][call->function];
	if (*seen)
		return false;
	*seen = true;
	body = search->unit->syntax.functions.items[call->function].body;
	search->stretch = stretch_of(search->unit, body->range);
	result = has_telling(search, repeated) || shows(search, body, repeated);
	search->stretch = around;
	return result;
}

/* Whether PIECE may show which thread runs it; REPEATED: each of them does, unless its text says
 * otherwise. */
static bool shows(struct search *search, const struct syntax *piece, bool repeated)
{
	if (!piece)
		return false;
	repeated = repeated && !is_in_shared_out(search->unit, search->stretch, piece->range.from);
	if (piece->type.is_volatile || piece->type.is_atomic ||
	    (piece->kind == SYNTAX_VARIABLE &&
	     tree_is_threads_own(&search->unit->tree, piece->declaration)) ||
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

/* Whether REGION does, by what is in it, and in what it calls; WAITS as in struct search. */
static bool region_shows(const struct unit *unit, const struct directive *region, bool waits)
{
	size_t count = unit->syntax.functions.count + 1;
	const struct syntax *body = syntax_first_from(&unit->syntax, region->body.from);
	bool repeated = region->kind == DIRECTIVE_PARALLEL;
	struct search search = {.unit = unit,
				.stretch = stretch_of(unit, region->body),
				.waits = waits,
				.seen = {memory_new(count), memory_new(count)}};
	bool result = !body || has_telling(&search, repeated) || shows(&search, body, repeated);

	memory_free(search.seen[0]);
	memory_free(search.seen[1]);
	return result;
}

/* Whether it is a region that begins in sequential code, and nothing but its block matters. */
static bool is_plain(const struct unit *unit, const struct directive *directive)
{
	bool loop = directive->kind == DIRECTIVE_PARALLEL_FOR;
	bool plain = loop || (directive->kind == DIRECTIVE_PARALLEL && !directive->master &&
			      !directive_clause(directive, CLAUSE_REDUCTION));

	return plain && directive->parent < 0 && !directive->device &&
	       replicable_reduces_exactly(unit, directive);
}

bool replicable_shows_shares(const struct unit *unit, const struct directive *region)
{
	return !is_plain(unit, region) || region_shows(unit, region, true) ||
	       carried_across(unit, region) || lasting(unit, region);
}

enum replicable replicable(const struct unit *unit, const struct directive *directive)
{
	if (!is_plain(unit, directive))
		return REPLICABLE_NOT;
	if (!region_shows(unit, directive, false) && !carried(unit, directive) &&
	    !lasting_pointed(unit, directive))
		return REPLICABLE_BY_ONE;
	return turns_are_alike(unit, directive) ? REPLICABLE_BY_TURNS : REPLICABLE_NOT;
}
