/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * alike.c - whether all threads have the same values where a loop begins.
 *
 * They do if these are of shared variables, and of the variables of loops around it in the region
 * that begin alike and grow alike: all threads come to a loop that a team shares out equally often.
 */
#include "alike.h"

#include "read/directive_facts.h"
#include "read/unit.h"

#define LOOPS_LIMIT 16

/* Loops around the one that is shared out, inside of the region, the outermost first. */
struct around {
	const struct walk *walk;
	const struct syntax *loops[LOOPS_LIMIT];
	unsigned int count;
};

static void find_around(struct around *around, unsigned int offset, unsigned int region)
{
	struct syntax *path[SYNTAX_DEPTH];
	unsigned int depth = syntax_path(&around->walk->unit->syntax, offset, path, SYNTAX_DEPTH);

	for (unsigned int i = 0; i + 1 < depth && around->count < LOOPS_LIMIT; i++)
		if (path[i]->kind == SYNTAX_FOR && path[i]->range.from >= region &&
		    path[i]->parts[3] == path[i + 1])
			around->loops[around->count++] = path[i];
}

/* A declaration of one variable stands in a block. */
static const struct syntax *inside(const struct syntax *piece)
{
	return piece && piece->kind == SYNTAX_BLOCK && piece->count == 1 ? piece->parts[0] : piece;
}

/* The variable that PIECE gives a first value, or steps by one; else NO_DECLARATION. */
static unsigned int variable_of(const struct syntax *piece)
{
	if (piece && piece->kind == SYNTAX_DECLARATION && piece->count && piece->parts[0])
		return piece->declaration;
	if (piece && (piece->kind == SYNTAX_ASSIGN || piece->kind == SYNTAX_STEP) &&
	    piece->parts[0]->kind == SYNTAX_VARIABLE)
		return piece->parts[0]->declaration;
	return NO_DECLARATION;
}

/* Whether something in PIECE is not followed, and may change any variable. */
static bool is_strange(const struct syntax *piece)
{
	bool strange = piece && (piece->kind == SYNTAX_STRANGE || piece->kind == SYNTAX_OPAQUE);

	for (unsigned int i = 0; piece && i < piece->count && !strange; i++)
		strange = is_strange(piece->parts[i]);
	return strange;
}

static bool is_alike(const struct around *around, const struct syntax *value, unsigned int loops);

/* Whether VARIABLE is that of one of the first LOOPS loops around, which run alike. */
static bool is_of_loop(const struct around *around, const struct syntax *variable,
		       unsigned int loops)
{
	while (loops-- > 0) {
		const struct syntax *loop = around->loops[loops];
		const struct syntax *first = inside(loop->parts[0]), *step = loop->parts[2];

		if (variable_of(first) != variable->declaration)
			continue;
		return variable_of(step) == variable->declaration && !is_strange(loop->parts[3]) &&
		       !scope_changes(&around->walk->unit->syntax, loop->parts[3],
				      variable->declaration) &&
		       is_alike(around, first->parts[first->kind == SYNTAX_ASSIGN], loops) &&
		       (step->kind == SYNTAX_STEP || is_alike(around, step->parts[1], loops));
	}
	return false;
}

/* Whether VALUE is the same for all threads inside of the first LOOPS loops around. */
static bool is_alike(const struct around *around, const struct syntax *value, unsigned int loops)
{
	if (!value)
		return true;
	if (value->kind == SYNTAX_CALL || value->kind == SYNTAX_OPAQUE)
		return false;
	if (value->kind == SYNTAX_VARIABLE && walk_is_own(around->walk, value))
		return is_of_loop(around, value, loops);
	for (unsigned int i = 0; i < value->count; i++)
		if (!is_alike(around, value->parts[i], loops))
			return false;
	return true;
}

static bool parts_are_alike(const struct around *around, const struct sets *sets)
{
	for (size_t i = 0; i < sets->memory.count; i++)
		if (!is_alike(around, sets->memory.items[i]->condition, around->count) ||
		    !is_alike(around, sets->memory.items[i]->object, around->count))
			return false;
	for (size_t i = 0; i < sets->iterators.count; i++)
		if (!is_alike(around, sets->iterators.items[i].first, around->count) ||
		    !is_alike(around, sets->iterators.items[i].limit, around->count) ||
		    !is_alike(around, sets->iterators.items[i].step, around->count))
			return false;
	return true;
}

bool alike_find(const struct walk *walk, const struct syntax *loop)
{
	const struct unit *unit = walk->unit;
	struct around around = {.walk = walk};
	unsigned int region;

	/* What the threads of a region begin with is the same for all. */
	if (directive_is(walk->directive->kind, IS_PARALLEL))
		return true;
	if (!loop || walk->directive->parent < 0)
		return parts_are_alike(&around, walk->sets);
	region = unit->directives.list.items[walk->directive->parent].body.from;
	find_around(&around, loop->range.from, region);
	return parts_are_alike(&around, walk->sets);
}
