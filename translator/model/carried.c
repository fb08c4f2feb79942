// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * carried.c - values that threads carry from one share of the work to another.
 *
 * Such a value shows how the work was shared out.  None is carried where, before each use of what a
 * thread has of its own, the same iteration, or the same round of what all threads do, has given it
 * a value; and where what a reduction sums up is used for nothing else.
 */
#include "carried.h"

#include <string.h>

#include "check/sharing.h"
#include "jumps.h"
#include "pipeline.h"
#include "read/directive_facts.h"
#include "read/unit.h"
#include "replicable.h"
#include "scope.h"

#define STEPS_MOST 4000000ul /* of looking at pieces, for a block */

/* A variable that each thread has for itself, and the blocks of constructs that give it values. */
struct own {
	unsigned int declaration, variable;
	const struct directive *within; /* in this construct alone; NULL: everywhere */
	bool sums;			/* it is the construct's reduction */
	LIST(struct range) changes;	/* in the order of the text */
};

struct search {
	const struct unit *unit;
	int outer; /* the region whose block it is; -1: it is a function's */
	struct range block;
	struct syntax *body;
	LIST(struct own) changed;
	const struct own *own; /* of these, that is looked at */
	unsigned long steps;   /* that may still be taken */
	const struct syntax *path[SYNTAX_DEPTH];
};

static bool has(struct range range, unsigned int offset)
{
	return offset >= range.from && offset < range.to;
}

static bool is_too_much(struct search *search)
{
	if (search->steps)
		search->steps--;
	return !search->steps;
}

/* The construct of the block that gives each part of the work to one thread, around OFFSET. */
static const struct directive *shared_out_at(const struct search *search, unsigned int offset)
{
	const struct directive_list *directives = &search->unit->directives;
	size_t first = search->outer < 0 ? directives_from(directives, search->block.from)
					 : (size_t)search->outer;

	return replicable_shared_out_at(search->unit, &directives->list.items[first], offset);
}

/* Whether a construct in PIECE, other than that around OFFSET, gives the variable values. */
static bool changes_in(const struct search *search, const struct syntax *piece, unsigned int offset)
{
	const struct range *changes = search->own->changes.items;
	size_t low = 0, high = search->own->changes.count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (changes[middle].from < piece->range.from)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < search->own->changes.count && has(changes[low], offset))
		low++;
	return low < search->own->changes.count && changes[low].from < piece->range.to;
}

/* Whether PIECE gives VARIABLE, one of its parts, a value, and does not use what it holds. */
static bool is_given(const struct syntax *piece, const struct syntax *variable)
{
	return piece->kind == SYNTAX_ASSIGN && !strcmp(piece->word, "=") &&
	       piece->parts[0] == variable && variable->kind == SYNTAX_VARIABLE;
}

/* Whether the variable has been given a value by PIECE, a statement or NULL, in any case. */
static bool gives(const struct search *search, const struct syntax *piece)
{
	unsigned int declaration = search->own->declaration;

	if (!piece)
		return false;
	switch (piece->kind) {
	case SYNTAX_DECLARATION:
		return piece->declaration == declaration && piece->count && piece->parts[0];
	case SYNTAX_ASSIGN:
		return is_given(piece, piece->parts[0]) &&
		       piece->parts[0]->declaration == declaration;
	case SYNTAX_BINARY:
		return !strcmp(piece->word, ",") &&
		       (gives(search, piece->parts[0]) || gives(search, piece->parts[1]));
	case SYNTAX_BLOCK:
		for (unsigned int i = 0; i < piece->count; i++)
			if (gives(search, piece->parts[i]))
				return true;
		return false;
	case SYNTAX_IF:
		return gives(search, piece->parts[1]) && gives(search, piece->parts[2]);
	case SYNTAX_FOR:
		return gives(search, piece->parts[0]);
	default:
		return false;
	}
}

enum found { FOUND_VALUE, FOUND_OTHER, FOUND_NOTHING };

/* What the variable holds at OFFSET, in PART of BLOCK, as far as BLOCK shows. */
static enum found look_before(struct search *search, const struct syntax *block,
			      const struct syntax *part, unsigned int offset)
{
	unsigned int at = 0;

	while (at < block->count && block->parts[at] != part)
		at++;
	while (at-- > 0) {
		if (!block->parts[at])
			continue;
		if (is_too_much(search) || changes_in(search, block->parts[at], offset))
			return FOUND_OTHER;
		if (gives(search, block->parts[at]))
			return FOUND_VALUE;
	}
	return FOUND_NOTHING;
}

/* The same, of the loop LOOP, in whose PART, or header, OFFSET is. */
static enum found look_at_loop(const struct search *search, const struct syntax *loop,
			       const struct syntax *part, unsigned int offset)
{
	if (loop->kind == SYNTAX_FOR && part == loop->parts[0])
		return FOUND_NOTHING;
	if (changes_in(search, loop, offset))
		return FOUND_OTHER;
	return loop->kind == SYNTAX_FOR && gives(search, loop->parts[0]) ? FOUND_VALUE
									 : FOUND_NOTHING;
}

/* Whether the path leaves the block of AROUND between OUTER and INNER. */
static bool leaves(const struct directive *around, const struct syntax *outer,
		   const struct syntax *inner)
{
	return around && has(around->body, inner->range.from) &&
	       !has(around->body, outer->range.from);
}

static bool changes_at(const struct search *search, const struct directive *around)
{
	for (size_t i = 0; i < search->own->changes.count; i++)
		if (search->own->changes.items[i].from == around->body.from)
			return true;
	return false;
}

/* Whether what the variable holds where it is used, at DEPTH of the path, is not carried. */
static bool is_given_before(struct search *search, unsigned int depth)
{
	unsigned int offset = search->path[depth]->range.from;
	const struct directive *around = shared_out_at(search, offset);

	while (depth-- > 0) {
		const struct syntax *outer = search->path[depth], *inner = search->path[depth + 1];
		enum found found = FOUND_NOTHING;

		/* Another iteration may have changed it. */
		if (leaves(around, outer, inner) && changes_at(search, around))
			return false;
		if (outer->kind == SYNTAX_BLOCK)
			found = look_before(search, outer, inner, offset);
		else if (outer->kind == SYNTAX_FOR || outer->kind == SYNTAX_LOOP)
			found = look_at_loop(search, outer, inner, offset);
		if (found != FOUND_NOTHING)
			return found == FOUND_VALUE;
	}
	/* The construct is the block. */
	return !around || !changes_at(search, around);
}

/* Whether PIECE, a part of OUTER, is a statement: nothing uses its value. */
static bool is_statement(const struct syntax *outer, const struct syntax *piece)
{
	switch (outer->kind) {
	case SYNTAX_BLOCK:
		return true;
	case SYNTAX_IF:
		return piece != outer->parts[0];
	case SYNTAX_FOR:
		return piece == outer->parts[3];
	case SYNTAX_LOOP:
		return piece == outer->parts[1];
	default:
		return false;
	}
}

/* Whether PIECE, the statement of an if, does nothing but give the variable another value. */
static bool replaces(const struct search *search, struct syntax *piece)
{
	const struct syntax *statement = syntax_statement(piece);

	return statement && statement->kind == SYNTAX_ASSIGN &&
	       statement->parts[0]->kind == SYNTAX_VARIABLE &&
	       statement->parts[0]->declaration == search->own->declaration;
}

/* Whether the sum that is used at DEPTH of the path is used for itself alone. */
static bool is_summed_up(const struct search *search, unsigned int depth)
{
	while (depth-- > 0) {
		const struct syntax *outer = search->path[depth], *inner = search->path[depth + 1];
		bool changes = (outer->kind == SYNTAX_ASSIGN || outer->kind == SYNTAX_STEP) &&
			       outer->parts[0]->kind == SYNTAX_VARIABLE &&
			       outer->parts[0]->declaration == search->own->declaration;

		if (changes)
			return depth == 0 || is_statement(search->path[depth - 1], outer);
		if (outer->kind == SYNTAX_IF && inner == outer->parts[0])
			return replaces(search, outer->parts[1]) && !outer->parts[2];
		if (outer->kind == SYNTAX_ASSIGN || outer->kind == SYNTAX_STEP ||
		    outer->kind == SYNTAX_ADDRESS || outer->kind == SYNTAX_DECLARATION ||
		    is_statement(outer, inner))
			return false;
	}
	return false;
}

/* Whether PIECE, at DEPTH of the path, uses the variable that is looked at. */
static bool uses_it(const struct search *search, const struct syntax *piece, unsigned int depth)
{
	const struct own *own = search->own;
	const struct directive *around;
	enum sharing sharing;

	if (piece->kind != SYNTAX_VARIABLE || piece->declaration != own->declaration ||
	    (depth && is_given(search->path[depth - 1], piece)))
		return false;
	around = shared_out_at(search, piece->range.from);
	if (own->within || !around || own->variable == NO_VARIABLE)
		return !own->within || around == own->within;
	/* What is firstprivate begins with what there is. */
	sharing = sharing_of(around, own->variable);
	return !sharing_is_private(sharing) || sharing == SHARING_FIRSTPRIVATE ||
	       sharing == SHARING_FIRST_LASTPRIVATE;
}

/* Whether some use in PIECE, at DEPTH of the path, is of a value that is carried. */
static bool is_carried_in(struct search *search, const struct syntax *piece, unsigned int depth)
{
	if (!piece)
		return false;
	if (depth == SYNTAX_DEPTH || is_too_much(search))
		return true;
	search->path[depth] = piece;
	if (uses_it(search, piece, depth) && !(search->own->sums && is_summed_up(search, depth)) &&
	    (search->own->sums || !is_given_before(search, depth)))
		return true;
	for (unsigned int i = 0; i < piece->count; i++)
		if (is_carried_in(search, piece->parts[i], depth + 1))
			return true;
	return false;
}

/* -- what threads have of their own, and change ------------------------------------------------ */

/*
 * Whether each thread has the variable INDEX, which PIECE names, for itself, in the construct
 * SHARED, or where there is none, and for more than one iteration.
 */
static bool is_own(const struct search *search, const struct syntax *piece, unsigned int index,
		   const struct directive *shared)
{
	const struct unit *unit = search->unit;

	if (shared && has(shared->body, piece->declaration))
		return false;
	if (index == NO_VARIABLE)
		return piece->automatic;
	if (shared && sharing_is_loop_variable(shared, index))
		return false;
	if (shared && sharing_is_private(sharing_of(shared, index)))
		return true;
	if (search->outer < 0 || has(search->block, piece->declaration))
		return piece->automatic;
	return !sharing_is_shared_at(unit, search->outer, index);
}

static void note_change(struct search *search, const struct syntax *piece, unsigned int index,
			const struct directive *shared)
{
	enum sharing sharing = index == NO_VARIABLE ? SHARING_NONE : sharing_of(shared, index);
	const struct directive *within = sharing_is_private(sharing) ? shared : NULL;
	struct own *own = NULL;

	for (size_t i = 0; i < search->changed.count && !own; i++)
		if (search->changed.items[i].declaration == piece->declaration &&
		    search->changed.items[i].within == within)
			own = &search->changed.items[i];
	if (!own) {
		own = list_add(&search->changed);
		own->declaration = piece->declaration;
		own->variable = index;
		own->within = within;
		own->sums = sharing == SHARING_REDUCTION;
	}
	if (!own->changes.count ||
	    own->changes.items[own->changes.count - 1].from != shared->body.from)
		*list_add(&own->changes) = shared->body;
}

static bool is_number(const struct type *type)
{
	return type->kind == TYPE_INTEGER || type->kind == TYPE_FLOATING ||
	       type->kind == TYPE_POINTER;
}

/*
 * Finds what PIECE, a part of the block, changes of own variables in constructs that are shared
 * out.  False: they may be changed in ways that are not followed.
 */
static bool find_changes(struct search *search, const struct syntax *piece)
{
	const struct directive *shared;
	const struct syntax *named;
	unsigned int index;

	if (!piece)
		return true;
	if (is_too_much(search))
		return false;
	named = piece->kind == SYNTAX_VARIABLE ? piece : scope_changed_by(piece);
	shared = named ? shared_out_at(search, named->range.from) : NULL;
	index = named ? tree_variable_at(&search->unit->tree, named->declaration) : NO_VARIABLE;
	if (named && (piece->kind != SYNTAX_VARIABLE || !is_number(&named->type)) &&
	    is_own(search, named, index, shared)) {
		if (!is_number(&named->type) || piece->kind == SYNTAX_ADDRESS)
			return false;
		if (shared)
			note_change(search, named, index, shared);
	}
	for (unsigned int i = 0; i < piece->count; i++)
		if (!find_changes(search, piece->parts[i]))
			return false;
	return true;
}

static bool is_carried(struct search *search)
{
	if (!search->body || !jumps_none(search->unit, search->body) ||
	    !find_changes(search, search->body))
		return true;
	for (size_t i = 0; i < search->changed.count; i++) {
		search->own = &search->changed.items[i];
		if (is_carried_in(search, search->body, 0))
			return true;
	}
	return false;
}

/* The same of BLOCK, whose text is BODY, of the region OUTER, or of a function. */
static bool is_carried_through(const struct unit *unit, int outer, struct range block,
			       struct syntax *body)
{
	struct search search = {
		.unit = unit, .outer = outer, .block = block, .body = body, .steps = STEPS_MOST};
	bool result = is_carried(&search);

	for (size_t i = 0; i < search.changed.count; i++)
		list_free(&search.changed.items[i].changes);
	list_free(&search.changed);
	return result;
}

struct question {
	const struct unit *unit;
	bool across; /* only what is carried across sync points counts */
};

/* Whether PIECE calls a function in which work is shared out, and something is carried. */
static bool calls_carrier(void *context, const struct syntax *piece)
{
	const struct question *question = context;
	const struct unit *unit = question->unit;
	struct syntax *body;

	if (piece->kind != SYNTAX_CALL || piece->function < 0 ||
	    (question->across && pipeline_at(unit, piece->range.from)))
		return false;
	body = unit->syntax.functions.items[piece->function].body;
	return replicable_shares_in(unit, body->range) &&
	       is_carried_through(unit, -1, body->range, body);
}

static bool is_carried_by(struct question *question, const struct directive *region)
{
	const struct unit *unit = question->unit;
	struct syntax *body = syntax_first_from(&unit->syntax, region->body.from);

	return !body ||
	       is_carried_through(unit, (int)(region - unit->directives.list.items), region->body,
				  body) ||
	       syntax_each(&unit->syntax, body, calls_carrier, question);
}

bool carried(const struct unit *unit, const struct directive *region)
{
	return is_carried_by(&(struct question){unit, false}, region);
}

bool carried_across(const struct unit *unit, const struct directive *region)
{
	return is_carried_by(&(struct question){unit, true}, region);
}
