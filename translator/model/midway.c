// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * midway.c - regions that each node may as well run in whole from one of their sync points on.
 *
 * What threads have of their own must be the same for all of them then.  It is where no thread has
 * been given a value of it by its share of the work, or none that is used after that: before each
 * use the same iteration, or the same round of what all threads do, has given it another one.
 */
#include "midway.h"

#include <string.h>

#include "check/sharing.h"
#include "jumps.h"
#include "read/directive_facts.h"
#include "read/unit.h"
#include "replicable.h"
#include "scope.h"

#define STEPS_MOST 1000000ul /* of looking at pieces, for a region */

/* A variable of which each thread has its own, and the blocks of constructs that give it values. */
struct own {
	unsigned int declaration;
	LIST(struct range) changes;
};

struct search {
	const struct unit *unit;
	const struct directive *region;
	struct syntax *body;
	LIST(struct own) changed;
	const struct own *own; /* of these, that is looked at */
	unsigned long steps;   /* that may still be taken */
};

static bool has(struct range range, unsigned int offset)
{
	return offset >= range.from && offset < range.to;
}

/* The construct of REGION that gives each part of the work to one thread, around OFFSET; or NULL.
 */
static const struct directive *shared_out_at(const struct search *search, unsigned int offset)
{
	const struct directive *list = search->unit->directives.list.items, *one = search->region;

	for (size_t i = (size_t)(one - list) + 1; i < search->unit->directives.list.count; i++) {
		if (list[i].offset >= search->region->body.to)
			break;
		if (replicable_is_shared_out(&list[i]) && has(list[i].body, offset))
			return &list[i];
	}
	return NULL;
}

static bool is_too_much(struct search *search)
{
	if (search->steps)
		search->steps--;
	return !search->steps;
}

/* Whether a construct in PIECE, other than that around OFFSET, gives the variable values. */
static bool changes_in(struct search *search, const struct syntax *piece, unsigned int offset)
{
	for (size_t i = 0; piece && i < search->own->changes.count; i++) {
		struct range range = search->own->changes.items[i];

		if (is_too_much(search))
			return true;
		if (range.from >= piece->range.from && range.from < piece->range.to &&
		    !has(range, offset))
			return true;
	}
	return false;
}

/* Whether PIECE gives VARIABLE, one of its parts, a value, and does not use what it holds. */
static bool is_given(const struct syntax *piece, const struct syntax *variable)
{
	return piece->kind == SYNTAX_ASSIGN && !strcmp(piece->word, "=") &&
	       piece->parts[0] == variable && variable->kind == SYNTAX_VARIABLE;
}

/* Whether PIECE gives the variable a value before it does anything else that uses it. */
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
	case SYNTAX_BLOCK: /* of declarations, too */
		return piece->count && gives(search, piece->parts[0]);
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
		if (is_too_much(search) || changes_in(search, block->parts[at], offset))
			return FOUND_OTHER;
		if (gives(search, block->parts[at]))
			return FOUND_VALUE;
	}
	return FOUND_NOTHING;
}

/* The same, of the loop LOOP, in whose PART, or header, OFFSET is. */
static enum found look_at_loop(struct search *search, const struct syntax *loop,
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

/* Whether what the variable holds where it is used, at the end of PATH, is alike in all threads. */
static bool is_used_alike(struct search *search, struct syntax **path, unsigned int depth)
{
	unsigned int offset = path[depth - 1]->range.from, i = depth - 1;
	const struct directive *around = shared_out_at(search, offset);

	while (i-- > 0 && path[i]->range.from >= search->body->range.from) {
		enum found found = FOUND_NOTHING;

		/* Another iteration may have changed it. */
		if (leaves(around, path[i], path[i + 1]) && changes_at(search, around))
			return false;
		if (path[i]->kind == SYNTAX_BLOCK)
			found = look_before(search, path[i], path[i + 1], offset);
		else if (path[i]->kind == SYNTAX_FOR || path[i]->kind == SYNTAX_LOOP)
			found = look_at_loop(search, path[i], path[i + 1], offset);
		if (found != FOUND_NOTHING)
			return found == FOUND_VALUE;
	}
	return true;
}

/* Whether that is so wherever PIECE, a part of PARENT, uses it. */
static bool all_alike(struct search *search, const struct syntax *piece,
		      const struct syntax *parent)
{
	struct syntax *path[SYNTAX_DEPTH];
	unsigned int depth;

	if (!piece)
		return true;
	if (piece->kind == SYNTAX_VARIABLE && piece->declaration == search->own->declaration &&
	    !is_given(parent, piece)) {
		depth = syntax_path(&search->unit->syntax, piece->range.from, path, SYNTAX_DEPTH);
		if (!depth || is_too_much(search) || !is_used_alike(search, path, depth))
			return false;
	}
	for (unsigned int i = 0; i < piece->count; i++)
		if (!all_alike(search, piece->parts[i], piece))
			return false;
	return true;
}

/* Whether each thread has VARIABLE for itself, and not in construct SHARED alone, or NULL. */
static bool is_own(const struct search *search, const struct syntax *variable,
		   const struct directive *shared)
{
	const struct unit *unit = search->unit;
	const struct directive *directive = shared ? shared : search->region;
	unsigned int index = tree_variable_at(&unit->tree, variable->declaration);

	if (shared && has(shared->body, variable->declaration))
		return false;
	if (index == NO_VARIABLE)
		return variable->automatic;
	if (has(search->region->body, variable->declaration))
		return !shared || !sharing_is_private(sharing_of(shared, index));
	return !(shared && sharing_is_private(sharing_of(shared, index))) &&
	       !sharing_is_shared_at(unit, (int)(directive - unit->directives.list.items), index);
}

static void note_change(struct search *search, unsigned int declaration,
			const struct directive *shared)
{
	struct own *own = NULL;

	for (size_t i = 0; i < search->changed.count && !own; i++)
		if (search->changed.items[i].declaration == declaration)
			own = &search->changed.items[i];
	if (!own) {
		own = list_add(&search->changed);
		own->declaration = declaration;
	}
	if (!own->changes.count ||
	    own->changes.items[own->changes.count - 1].from != shared->body.from)
		*list_add(&own->changes) = shared->body;
}

/*
 * Finds what PIECE, a part of the region, changes of own variables in constructs that are shared
 * out.  False: it may be changed in ways that are not followed.
 */
static bool find_changes(struct search *search, const struct syntax *piece)
{
	const struct directive *shared;
	const struct syntax *variable;
	bool is_whole;

	if (!piece)
		return true;
	shared = shared_out_at(search, piece->range.from);
	variable = piece->kind == SYNTAX_VARIABLE ? piece : scope_changed_by(piece);
	is_whole = variable &&
		   (variable->type.kind == TYPE_ARRAY || variable->type.kind == TYPE_RECORD);
	if (is_too_much(search))
		return false;
	if (variable && (is_whole || piece->kind != SYNTAX_VARIABLE) &&
	    is_own(search, variable, shared)) {
		if (is_whole || piece->kind == SYNTAX_ADDRESS)
			return false;
		if (shared)
			note_change(search, variable->declaration, shared);
	}
	for (unsigned int i = 0; i < piece->count; i++)
		if (!find_changes(search, piece->parts[i]))
			return false;
	return true;
}

/* Whether PIECE calls a function in which work is shared out: that has variables of its own. */
static bool shares_elsewhere(void *context, const struct syntax *piece)
{
	const struct unit *unit = context;

	return piece->kind == SYNTAX_CALL && piece->function >= 0 &&
	       replicable_shares_in(unit,
				    unit->syntax.functions.items[piece->function].body->range);
}

static bool is_midway(struct search *search)
{
	if (!find_changes(search, search->body))
		return false;
	for (size_t i = 0; i < search->changed.count; i++) {
		search->own = &search->changed.items[i];
		if (!all_alike(search, search->body, search->body))
			return false;
	}
	return true;
}

bool midway(const struct unit *unit, const struct directive *region)
{
	struct search search = {
		.unit = unit,
		.region = region,
		.body = syntax_first_from(&unit->syntax, region->body.from),
		.steps = STEPS_MOST,
	};
	bool result = region->kind == DIRECTIVE_PARALLEL && search.body &&
		      jumps_none(unit, search.body) &&
		      !syntax_each(&unit->syntax, search.body, shares_elsewhere, (void *)unit) &&
		      is_midway(&search);

	for (size_t i = 0; i < search.changed.count; i++)
		list_free(&search.changed.items[i].changes);
	list_free(&search.changed);
	return result;
}
