/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * alike.c - whether all threads have the same values where a loop begins.
 *
 * They do if these are of shared variables, of own ones that were given such values, and of those
 * that loops around it change alike: all threads come to a loop that a team shares out equally
 * often.  That is shown by induction over the rounds of such a loop, as of pointers that it swaps.
 */
#include "alike.h"

#include <string.h>

#include "followed.h"
#include "gap.h"
#include "jumps.h"
#include "read/directive_facts.h"
#include "read/known.h"
#include "read/unit.h"
#include "sizes.h"

#define ROUNDS_MOST 8	 /* values that are followed through rounds of loops at once */
#define STEPS_MOST  4096 /* of looking back, for one value */

/* What VARIABLE holds where a round of LOOP begins. */
struct round_value {
	const struct syntax *loop;
	unsigned int variable;
};

/* Pieces around the loop that is shared out, inside of the region or function; that is the last. */
struct around {
	const struct walk *walk;
	unsigned int *steps; /* that may still be taken */
	struct syntax *path[SYNTAX_DEPTH];
	unsigned int depth;
	struct round_value given[ROUNDS_MOST]; /* these are alike, as the induction has it */
	unsigned int given_count;
};

/* A place in the piece at DEPTH of the path: that of its part BEFORE; its end, if that is itself.
 */
struct position {
	unsigned int depth;
	const struct syntax *before;
};

/* REGION: where it begins, or 0. */
static void find_around(struct around *around, unsigned int offset, unsigned int region)
{
	struct syntax *path[SYNTAX_DEPTH];
	unsigned int depth = syntax_path(&around->walk->unit->syntax, offset, path, SYNTAX_DEPTH);

	for (unsigned int i = 0; i < depth; i++)
		if (path[i]->range.from >= region)
			around->path[around->depth++] = path[i];
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
	return syntax_has(piece, SYNTAX_STRANGE, SYNTAX_OPAQUE);
}

static bool is_alike(const struct around *around, const struct syntax *value,
		     struct position position);
static bool variable_is_alike(const struct around *around, unsigned int variable,
			      struct position position);

static bool changes(const struct around *around, const struct syntax *piece, unsigned int variable)
{
	return piece &&
	       (is_strange(piece) || scope_changes(&around->walk->unit->syntax, piece, variable));
}

/* Whether LOOP changes nothing of what VALUE is made of and each thread has for itself. */
static bool stays_in(const struct around *around, const struct syntax *loop,
		     const struct syntax *value)
{
	if (value->kind == SYNTAX_VARIABLE && walk_is_own(around->walk, value))
		return !changes(around, loop, value->declaration);
	for (unsigned int i = 0; i < value->count; i++)
		if (!stays_in(around, loop, value->parts[i]))
			return false;
	return true;
}

/* Whether VARIABLE, which LOOP counts with, is alike in its body; POSITION is that of LOOP. */
static bool counts_alike(const struct around *around, const struct syntax *loop,
			 unsigned int variable, struct position position)
{
	const struct syntax *first = inside(loop->parts[0]), *step = loop->parts[2];

	return variable_of(step) == variable && !changes(around, loop->parts[1], variable) &&
	       !changes(around, loop->parts[3], variable) &&
	       is_alike(around, first->parts[first->kind == SYNTAX_ASSIGN], position) &&
	       (step->kind == SYNTAX_STEP || (is_alike(around, step->parts[1], position) &&
					      stays_in(around, loop, step->parts[1])));
}

/* Whether VARIABLE is alike after LOOP, which counts with it. */
static bool ends_alike(const struct around *around, const struct syntax *loop,
		       unsigned int variable, struct position position)
{
	const struct syntax *until = loop && loop->kind == SYNTAX_FOR ? loop->parts[1] : NULL;

	if (!until || variable_of(loop->parts[0]) != variable || until->kind != SYNTAX_BINARY ||
	    until->parts[0]->kind != SYNTAX_VARIABLE || until->parts[0]->declaration != variable)
		return false;
	return counts_alike(around, loop, variable, position) &&
	       is_alike(around, until->parts[1], position) &&
	       stays_in(around, loop, until->parts[1]) &&
	       !syntax_has(loop->parts[3], SYNTAX_LEAVE, SYNTAX_LEAVE);
}

/* What VARIABLE was given by a statement of its own, or NULL: by none. */
static const struct syntax *given_by(const struct syntax *piece, unsigned int variable)
{
	if (!piece)
		return NULL;
	for (unsigned int i = 0; piece->kind == SYNTAX_BLOCK && i < piece->count; i++)
		if (piece->parts[i] && piece->parts[i]->kind == SYNTAX_DECLARATION &&
		    piece->parts[i]->declaration == variable)
			piece = piece->parts[i];
	if (variable_of(piece) != variable || piece->kind == SYNTAX_STEP)
		return NULL;
	if (piece->kind == SYNTAX_DECLARATION)
		return piece->parts[0];
	return strcmp(piece->word, "=") ? NULL : piece->parts[1];
}

/*
 * Whether PIECE may end what keeps other threads out: they may have read something else while this
 * one was in there.
 */
static bool releases(void *context, const struct syntax *piece)
{
	(void)context;
	return piece->kind == SYNTAX_CALL && piece->function < 0 &&
	       (!piece->word || !known_orders_none(piece->word));
}

static bool may_release(const struct around *around, const struct syntax *piece)
{
	return syntax_each(&around->walk->unit->syntax, piece, releases, NULL);
}

/* Whether PIECE steps VARIABLE, or changes it by a value: to that, NULL for a step. */
static bool is_changed_by(const struct syntax *piece, unsigned int variable,
			  const struct syntax **value)
{
	if (variable_of(piece) != variable || piece->kind == SYNTAX_DECLARATION)
		return false;
	*value = piece->kind == SYNTAX_ASSIGN ? piece->parts[1] : NULL;
	return true;
}

static bool is_loop(const struct syntax *piece)
{
	return piece->kind == SYNTAX_FOR || piece->kind == SYNTAX_LOOP;
}

/* The path of AROUND goes on from DEPTH to PIECE; false: it is too long. */
static bool go_into(struct around *inner, const struct around *around, unsigned int depth,
		    const struct syntax *piece)
{
	if (depth + 1 == SYNTAX_DEPTH)
		return false;
	*inner = *around;
	inner->path[depth + 1] = (struct syntax *)piece;
	return true;
}

static bool is_alike_after(const struct around *around, const struct syntax *piece,
			   unsigned int variable, struct position position);
static bool is_alike_in_rounds(const struct around *around, unsigned int depth,
			       unsigned int variable, struct position position);

/* The same of an if statement, to one part of which all threads come. */
static bool is_alike_after_if(const struct around *around, const struct syntax *piece,
			      unsigned int variable, struct position position)
{
	struct around inner;
	bool alike = !changes(around, piece->parts[0], variable) &&
		     is_alike(around, piece->parts[0], position) &&
		     go_into(&inner, around, position.depth, piece);

	for (unsigned int i = 1; i < piece->count && alike; i++)
		alike = piece->parts[i] ? is_alike_after(&inner, piece->parts[i], variable,
							 (struct position){position.depth + 1,
									   piece->parts[i]})
					: variable_is_alike(around, variable, position);
	return alike;
}

/* The same of a loop that has as many rounds for all threads. */
static bool is_alike_after_loop(const struct around *around, const struct syntax *loop,
				unsigned int variable, struct position position)
{
	const struct syntax *condition = loop->parts[loop->kind == SYNTAX_FOR];
	const struct syntax *body = loop->parts[loop->count - 1];
	struct around inner;

	return body && !jumps_leave(body, "break") && !jumps_leave(body, "return") &&
	       go_into(&inner, around, position.depth, loop) &&
	       is_alike(&inner, condition, (struct position){position.depth + 1, body}) &&
	       is_alike_in_rounds(&inner, position.depth + 1, variable, position);
}

/* Whether VARIABLE is alike after PIECE, which stands at POSITION. */
static bool is_alike_after(const struct around *around, const struct syntax *piece,
			   unsigned int variable, struct position position)
{
	const struct syntax *given, *value;
	struct around inner;

	if (!changes(around, piece, variable))
		return !may_release(around, piece) && variable_is_alike(around, variable, position);
	if (followed_governing(around->walk->unit, piece))
		return false;
	given = given_by(piece, variable);
	if (given)
		return is_alike(around, given, position);
	if (ends_alike(around, piece, variable, position))
		return true;
	if (may_release(around, piece))
		return false;
	if (is_changed_by(piece, variable, &value))
		return variable_is_alike(around, variable, position) &&
		       is_alike(around, value, position);
	if (is_loop(piece))
		return is_alike_after_loop(around, piece, variable, position);
	if (piece->kind == SYNTAX_IF)
		return is_alike_after_if(around, piece, variable, position);
	return piece->kind == SYNTAX_BLOCK && go_into(&inner, around, position.depth, piece) &&
	       variable_is_alike(&inner, variable, (struct position){position.depth + 1, piece});
}

/* Looks back from POSITION, in a block.  *ENDS: what comes before that block does not matter. */
static bool was_given_alike(const struct around *around, unsigned int variable,
			    struct position position, bool *ends)
{
	const struct syntax *block = around->path[position.depth];
	unsigned int i = 0;

	while (i < block->count && block->parts[i] != position.before)
		i++;
	*ends = true;
	while (i-- > 0) {
		const struct syntax *piece = block->parts[i];

		position.before = piece;
		if (piece && (changes(around, piece, variable) || may_release(around, piece)))
			return is_alike_after(around, piece, variable, position);
	}
	*ends = false;
	return false;
}

/* Whether all threads come to the innermost piece, or none: not some to another one. */
static bool is_reached_alike(const struct around *around)
{
	for (unsigned int i = 0; i < around->depth; i++) {
		const struct syntax *piece = around->path[i];

		if (piece->kind == SYNTAX_IF &&
		    (!i ||
		     !is_alike(around, piece->parts[0], (struct position){i - 1, around->path[i]})))
			return false;
	}
	return true;
}

/* Whether the argument for a parameter is alike. */
struct argument {
	struct call_question question;
	const struct unit *unit;
	unsigned int parameter; /* which */
};

static bool argument_is_alike(const struct call_question *question, const struct syntax *call,
			      const struct directive *region)
{
	const struct argument *argument = (const struct argument *)question;
	const struct unit *unit = argument->unit;
	struct sets sets = {.directive = (unsigned int)(region - unit->directives.list.items)};
	struct walk walk = {.unit = (struct unit *)unit, .directive = region, .sets = &sets};
	unsigned int steps = STEPS_MOST;
	struct around around = {.walk = &walk, .steps = &steps};

	find_around(&around, call->range.from, region->body.from);
	return argument->parameter < call->count && around.depth > 1 && is_reached_alike(&around) &&
	       is_alike(&around, call->parts[argument->parameter],
			(struct position){around.depth - 2, around.path[around.depth - 1]});
}

/* Whether VARIABLE is a parameter of the function around the loop, and all arguments are alike. */
static bool parameter_is_alike(const struct around *around, unsigned int variable)
{
	const struct unit *unit = around->walk->unit;
	const struct syntax_trees *trees = &unit->syntax;
	struct argument argument = {{argument_is_alike}, unit, 0};

	if (around->walk->directive->parent >= 0 ||
	    directive_is(around->walk->directive->kind, IS_PARALLEL))
		return false;
	for (size_t i = 0; i < trees->functions.count; i++)
		for (size_t j = 0; j < trees->functions.items[i].parameters.count; j++) {
			argument.parameter = (unsigned int)j;
			if (trees->functions.items[i].parameters.items[j]->declaration == variable)
				return gap_asks_calls(unit, (int)i, &argument.question);
		}
	return false;
}

/* Whether no round of LOOP ends but at the end of its body, where alone VARIABLE changes. */
static bool has_even_rounds(const struct around *around, const struct syntax *loop,
			    unsigned int variable)
{
	const struct syntax *body = loop->parts[loop->count - 1];

	for (unsigned int i = 0; i + 1 < loop->count; i++)
		if (changes(around, loop->parts[i], variable) ||
		    may_release(around, loop->parts[i]))
			return false;
	return body && !jumps_leave(body, "continue") && !jumps_leave(body, "goto");
}

/*
 * Whether VARIABLE is alike where each round of the loop at DEPTH of the path begins, before which
 * POSITION is: it is in the first one, and after a round if it was before that.
 */
static bool is_alike_in_rounds(const struct around *around, unsigned int depth,
			       unsigned int variable, struct position position)
{
	const struct syntax *loop = around->path[depth], *body = loop->parts[loop->count - 1];
	struct around inner = *around;

	for (unsigned int i = 0; i < around->given_count; i++)
		if (around->given[i].loop == loop && around->given[i].variable == variable)
			return true;
	if (around->given_count == ROUNDS_MOST || !position.before ||
	    !has_even_rounds(around, loop, variable) ||
	    !variable_is_alike(around, variable, position))
		return false;
	inner.given[inner.given_count++] = (struct round_value){loop, variable};
	return is_alike_after(&inner, body, variable, (struct position){depth, body});
}

/* What every thread gave the variable last before POSITION is the same. */
static bool variable_is_alike(const struct around *around, unsigned int variable,
			      struct position position)
{
	while (*around->steps) {
		const struct syntax *piece = around->path[position.depth];
		unsigned int depth = position.depth;
		bool ends = false, alike;

		--*around->steps;
		if (piece->kind == SYNTAX_BLOCK) {
			alike = was_given_alike(around, variable, position, &ends);
			if (ends)
				return alike;
		} else if (!is_loop(piece) && (piece->kind != SYNTAX_IF ||
					       changes(around, piece->parts[0], variable))) {
			return false;
		}
		/* Around the outermost piece there is no place. */
		position.before = depth ? piece : NULL;
		position.depth -= depth > 0;
		if (piece->kind == SYNTAX_FOR && variable_of(inside(piece->parts[0])) == variable)
			return counts_alike(around, piece, variable, position);
		if (is_loop(piece) && changes(around, piece, variable))
			return is_alike_in_rounds(around, depth, variable, position);
		if (!position.before)
			return parameter_is_alike(around, variable);
	}
	return false;
}

/* Whether the sizes in TYPE are alike, which are those of a time before POSITION. */
static bool sizes_are_alike(const struct around *around, const struct type *type,
			    struct position position)
{
	const struct walk *walk = around->walk;
	const struct variable *variable;
	size_t place = 0;

	if (!sizes_stand(walk->unit, walk->directive, type))
		return false;
	while ((variable = sizes_next(walk->unit, walk->directive, type, &place))) {
		const struct syntax name = {.kind = SYNTAX_VARIABLE,
					    .declaration = variable->offset,
					    .automatic = variable->automatic,
					    .range = {variable->offset, variable->offset}};

		if (walk_is_own(walk, &name) && !is_alike(around, &name, position))
			return false;
	}
	return true;
}

/* Whether VARIABLE, of the thread's own, changes by its name alone; arrays do by pointers, too. */
static bool is_simple(const struct around *around, const struct syntax *variable)
{
	const struct tree *tree = &around->walk->unit->tree;
	unsigned int index = tree_variable_at(tree, variable->declaration);

	return variable->type.kind != TYPE_ARRAY && variable->type.kind != TYPE_OTHER &&
	       index != NO_VARIABLE && !tree->variables.items[index].holds_array &&
	       !tree->variables.items[index].address_taken;
}

/* Whether VALUE is an object that the thread makes where it computes that. */
static bool is_made(const struct syntax *value)
{
	return value->kind == SYNTAX_LIST && value->type.kind != TYPE_RECORD;
}

/* Whether VALUE is the same for all threads at POSITION. */
static bool is_alike(const struct around *around, const struct syntax *value,
		     struct position position)
{
	if (!value)
		return true;
	if (is_made(value) ||
	    (value->kind == SYNTAX_ADDRESS && value->parts[0]->kind == SYNTAX_LIST))
		return false;
	if (value->kind == SYNTAX_CALL || value->kind == SYNTAX_OPAQUE ||
	    value->kind == SYNTAX_ASSIGN || value->kind == SYNTAX_STEP)
		return false;
	if (value->type.variable_size && !sizes_are_alike(around, &value->type, position))
		return false;
	/* Of an array no more than its place. */
	if ((value->type.is_volatile || value->type.is_atomic) && value->type.kind != TYPE_ARRAY)
		return false;
	if (value->kind == SYNTAX_VARIABLE && walk_is_own(around->walk, value))
		return position.before && is_simple(around, value) &&
		       variable_is_alike(around, value->declaration, position);
	for (unsigned int i = 0; i < value->count; i++)
		if (!is_alike(around, value->parts[i], position))
			return false;
	return true;
}

/* Whether the place of OBJECT is alike: in a pipeline flags may be volatile. */
static bool object_is_alike(const struct around *around, const struct syntax *object,
			    struct position position)
{
	if (!object || !around->walk->in_pipeline ||
	    (object->kind == SYNTAX_VARIABLE && walk_is_own(around->walk, object)))
		return is_alike(around, object, position);
	for (unsigned int i = 0; i < object->count; i++)
		if (!is_alike(around, object->parts[i], position))
			return false;
	return true;
}

/* Whether what PART itself says is alike at POSITION. */
static bool part_is_alike(const struct around *around, const struct part_of_set *part,
			  struct position position)
{
	const struct iterator *iterator = &around->walk->sets->iterators.items[part->iterator];

	if (part->kind != PART_LOOP)
		return is_alike(around, part->condition, position) &&
		       object_is_alike(around, part->object, position);
	return is_alike(around, iterator->first, position) &&
	       is_alike(around, iterator->limit, position) &&
	       is_alike(around, iterator->step, position);
}

void alike_find(const struct walk *walk, const struct syntax *loop)
{
	const struct unit *unit = walk->unit;
	unsigned int steps;
	struct around around = {.walk = walk, .steps = &steps};
	struct position position = {0};
	/* What the threads of a region begin with is the same for all. */
	bool all = directive_is(walk->directive->kind, IS_PARALLEL) && !walk->in_pipeline;
	unsigned int region = 0;

	if (walk->in_pipeline)
		region = walk->block.from;
	else if (walk->directive->parent >= 0)
		region = unit->directives.list.items[walk->directive->parent].body.from;
	if (loop)
		find_around(&around, loop->range.from, region);
	if (around.depth > 1)
		position = (struct position){around.depth - 2, around.path[around.depth - 1]};
	/* Those around a part come before it. */
	for (size_t i = 0; i < walk->sets->memory.count; i++) {
		struct part_of_set *part = walk->sets->memory.items[i];

		steps = STEPS_MOST;
		part->alike = (!part->around || part->around->alike) &&
			      (all || part_is_alike(&around, part, position));
	}
}
