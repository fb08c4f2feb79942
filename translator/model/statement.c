/* SPDX-License-Identifier: GPL-2.0-or-later */
/* statement.c - going through a loop's body, statement by statement. */
#include "statement.h"

#include <string.h>

#include "check/loop.h"
#include "read/known.h"
#include "access.h"
#include "followed.h"
#include "jumps.h"
#include "read/unit.h"
#include "walk.h"

static struct syntax_trees *trees(struct walk *walk)
{
	return &walk->unit->syntax;
}

static void walk_optional(struct walk *walk, struct syntax *statement)
{
	if (statement)
		statement_walk(walk, statement);
}

/* -- jumps ------------------------------------------------------------------------------------- */

/* Whether the loop may end before its condition ends it. */
static bool is_left(const struct syntax *body)
{
	return jumps_leave(body, "break") || jumps_leave(body, "return");
}

/* Whether PIECE, a function's body, returns before its last statement does. */
static bool returns_early(const struct syntax *piece, bool is_body)
{
	unsigned int i;

	if (!piece)
		return false;
	if (piece->kind == SYNTAX_LEAVE)
		return !strcmp(piece->word, "return");
	for (i = 0; i < piece->count; i++) {
		if (is_body && i + 1 == piece->count && piece->parts[i] &&
		    piece->parts[i]->kind == SYNTAX_LEAVE)
			return false;
		if (returns_early(piece->parts[i], false))
			return true;
	}
	return false;
}

/*
 * Whether the program ends in BLOCK, which control does not leave on another way: what it writes
 * before that does not matter, but what it reads does: that may be in a message.
 */
static bool ends_program(const struct syntax *block)
{
	const struct syntax *last = block->count ? block->parts[block->count - 1] : NULL;

	return last && last->kind == SYNTAX_CALL && last->function < 0 && last->word &&
	       known_function(last->word) == KNOWN_ENDS &&
	       !syntax_has(block, SYNTAX_LEAVE, SYNTAX_STRANGE);
}

/* -- loops ------------------------------------------------------------------------------------- */

static bool is_variable(const struct syntax *piece, unsigned int declaration)
{
	return piece && piece->kind == SYNTAX_VARIABLE && piece->declaration == declaration;
}

/* The variable of a loop, and its first value: v = first, or a declaration. */
static struct syntax *read_first(struct syntax *part, struct syntax **variable)
{
	if (part && part->kind == SYNTAX_BLOCK && part->count == 1)
		part = part->parts[0];
	if (!part || !part->count)
		return NULL;
	if (part->kind == SYNTAX_DECLARATION) {
		*variable = part;
		return part->parts[0];
	}
	if (part->kind != SYNTAX_ASSIGN || strcmp(part->word, "=") != 0 ||
	    part->parts[0]->kind != SYNTAX_VARIABLE)
		return NULL;
	*variable = part->parts[0];
	return part->parts[1];
}

static bool read_relation(const char *word, bool mirrored, enum loop_relation *relation)
{
	for (size_t i = 0; i < LOOP_COMPARISONS; i++)
		if (!strcmp(word, loop_comparisons[i].word)) {
			*relation = mirrored ? loop_comparisons[i].mirrored
					     : loop_comparisons[i].relation;
			return true;
		}
	return false;
}

/* The limit of the variable, or NULL. */
static struct syntax *read_limit(struct syntax *part, unsigned int variable,
				 enum loop_relation *relation)
{
	bool mirrored;

	if (!part || part->kind != SYNTAX_BINARY)
		return NULL;
	mirrored = is_variable(part->parts[1], variable);
	if (!is_variable(part->parts[mirrored], variable) ||
	    !read_relation(part->word, mirrored, relation))
		return NULL;
	return part->parts[!mirrored];
}

/* v++, v += step, v = v + step, v = step + v and the like; STEP stays NULL for 1. */
static bool read_step(struct syntax *part, unsigned int variable, struct syntax **step, bool *minus)
{
	struct syntax *sum;

	if (!part || !part->count || !is_variable(part->parts[0], variable))
		return false;
	*minus = *part->word == '-';
	if (part->kind == SYNTAX_STEP)
		return true;
	if (part->kind != SYNTAX_ASSIGN)
		return false;
	if (!strcmp(part->word, "+=") || !strcmp(part->word, "-=")) {
		*step = part->parts[1];
		return true;
	}
	sum = part->parts[1];
	if (strcmp(part->word, "=") != 0 || sum->kind != SYNTAX_BINARY || !strchr("+-", *sum->word))
		return false;
	*minus = *sum->word == '-';
	if (is_variable(sum->parts[0], variable))
		*step = sum->parts[1];
	else if (!*minus && is_variable(sum->parts[1], variable))
		*step = sum->parts[0];
	return *step != NULL;
}

/* What the header of a loop says, before anything of it is evaluated. */
struct header {
	struct syntax *variable, *first, *limit, *step;
	enum loop_relation relation;
	bool minus;
};

/* Some loops end when their variable is past the end of its type's values, and begins again. */
static bool comes_to_limit(const struct header *header)
{
	switch (header->relation) {
	case LOOP_LESS:
	case LOOP_LESS_EQUAL:
		return !header->minus;
	case LOOP_GREATER:
	case LOOP_GREATER_EQUAL:
		return header->minus;
	default:
		return !header->step && type_width(&header->variable->type) >= 4;
	}
}

static bool read_header(struct walk *walk, struct syntax *loop, struct header *header)
{
	unsigned int variable;

	header->first = read_first(loop->parts[0], &header->variable);
	if (!header->first || header->variable->type.kind != TYPE_INTEGER)
		return false;
	variable = header->variable->declaration;
	if (!header->variable->automatic || !walk_holds(walk, header->variable) ||
	    walk_may_change(walk, loop->parts[3], variable))
		return false;
	header->limit = read_limit(loop->parts[1], variable, &header->relation);
	return header->limit && header->limit->type.kind == TYPE_INTEGER &&
	       read_step(loop->parts[2], variable, &header->step, &header->minus) &&
	       comes_to_limit(header);
}

/* A loop whose number of rounds is not known: its body, once, as what may happen. */
static void walk_rounds(struct walk *walk, struct syntax *loop)
{
	scope_forget(&walk->scope, trees(walk), loop);
	walk->uncertain++;
	for (unsigned int i = 0; i < loop->count; i++)
		if (loop->parts[i] && (loop->kind != SYNTAX_FOR || i))
			statement_walk(walk, loop->parts[i]);
	walk->uncertain--;
	scope_forget(&walk->scope, trees(walk), loop);
}

static struct syntax *iterator_value(struct walk *walk, const struct syntax *variable,
				     unsigned int iterator)
{
	struct syntax *value = syntax_new(trees(walk), SYNTAX_ITERATOR, variable->range, 0);

	value->type = variable->type;
	value->iterator = iterator;
	return value;
}

unsigned int statement_iterator(struct walk *walk, const struct syntax *variable,
				const struct iterator *values)
{
	unsigned int number = (unsigned int)walk->sets->iterators.count;
	struct iterator *iterator = list_add(&walk->sets->iterators);

	*iterator = *values;
	iterator->name = variable->word;
	iterator->type = variable->type.name;
	scope_bind(&walk->scope, variable->declaration, iterator_value(walk, variable, number),
		   variable->range.from);
	return number;
}

/* The values of a loop's header; false: one is not known. */
static bool evaluate_header(struct walk *walk, struct syntax *loop, const struct header *header,
			    struct iterator *iterator)
{
	iterator->first = walk_expression(walk, header->first);
	scope_forget(&walk->scope, trees(walk), loop);
	iterator->limit = walk_expression(walk, header->limit);
	iterator->step = header->step ? walk_expression(walk, header->step) : NULL;
	iterator->relation = header->relation;
	iterator->minus = header->minus;
	if (!iterator->first || !iterator->limit || (header->step && !iterator->step))
		return false;
	if (walk->directive->said &&
	    (walk_is_late(walk, iterator->first) || walk_is_late(walk, iterator->limit) ||
	     walk_is_late(walk, iterator->step)))
		return false;
	walk_depend(walk, iterator->first, header->first->range);
	walk_depend(walk, iterator->limit, header->limit->range);
	if (iterator->step)
		walk_depend(walk, iterator->step, header->step->range);
	return true;
}

static void walk_for(struct walk *walk, struct syntax *loop)
{
	struct header header = {0};
	struct iterator values = {.kind = ITERATOR_INNER};
	bool left = is_left(loop->parts[3]);

	if (!read_header(walk, loop, &header)) {
		walk_optional(walk, loop->parts[0]);
		walk_rounds(walk, loop);
		return;
	}
	values.shares = walk->in_pipeline ? followed_sharing(walk->unit, loop) : NULL;
	if (!evaluate_header(walk, loop, &header, &values)) {
		walk_rounds(walk, loop);
		return;
	}
	if (!walk_is_own(walk, header.variable))
		access_note(walk, access_written(walk), header.variable, header.variable, true);
	walk_enter(walk, PART_LOOP)->iterator = statement_iterator(walk, header.variable, &values);
	walk->uncertain += left;
	walk_optional(walk, loop->parts[3]);
	walk->uncertain -= left;
	walk_leave(walk);
	scope_forget(&walk->scope, trees(walk), loop);
}

/* -- others ------------------------------------------------------------------------------------ */

/* One side of an if; what it changes is not known for the other one. */
static void walk_branch(struct walk *walk, struct syntax *condition, bool otherwise,
			struct syntax *statement)
{
	size_t before = walk->scope.count;

	if (!statement)
		return;
	walk_enter_if(walk, condition, otherwise);
	statement_walk(walk, statement);
	walk_leave_if(walk, condition);
	walk->scope.count = before;
}

static void walk_if(struct walk *walk, struct syntax *statement)
{
	struct syntax *condition = walk_condition(walk, walk_expression(walk, statement->parts[0]),
						  statement->parts[0]->range);

	walk_branch(walk, condition, false, statement->parts[1]);
	walk_branch(walk, condition, true, statement->parts[2]);
	for (unsigned int i = 1; i < 3; i++)
		if (statement->parts[i])
			scope_forget(&walk->scope, trees(walk), statement->parts[i]);
}

/* Whether control never comes to what stands after STATEMENT. */
static bool never_ends(const struct syntax *statement)
{
	if (!statement)
		return false;
	if (statement->kind == SYNTAX_BLOCK)
		return statement->count && never_ends(statement->parts[statement->count - 1]);
	return statement->kind == SYNTAX_LEAVE &&
	       (!strcmp(statement->word, "continue") || !strcmp(statement->word, "return"));
}

/* The side of an if after which control comes to the next statement, if it is one; or -1. */
static int side_that_ends(const struct syntax *statement)
{
	bool first, second;

	if (statement->kind != SYNTAX_IF)
		return -1;
	first = never_ends(statement->parts[1]);
	second = never_ends(statement->parts[2]);
	return first == second ? -1 : first;
}

static void walk_statements(struct walk *walk, const struct syntax *block, unsigned int first);

/* The if that is statement I of BLOCK, and all after that, which belongs to one of its sides. */
static void walk_if_and_rest(struct walk *walk, const struct syntax *block, unsigned int i)
{
	struct syntax *statement = block->parts[i];
	int side = side_that_ends(statement);
	struct syntax *condition = walk_condition(walk, walk_expression(walk, statement->parts[0]),
						  statement->parts[0]->range);

	walk_branch(walk, condition, !side, statement->parts[1 + !side]);
	walk_branch(walk, condition, side, statement->parts[1 + side]);
	if (statement->parts[1 + side])
		scope_forget(&walk->scope, trees(walk), statement->parts[1 + side]);
	walk_enter_if(walk, condition, side);
	walk_statements(walk, block, i + 1);
	walk_leave_if(walk, condition);
}

/* What stands after a statement that may go on with the next iteration may not be reached. */
static void walk_statements(struct walk *walk, const struct syntax *block, unsigned int first)
{
	unsigned int before = walk->uncertain;

	for (unsigned int i = first; i < block->count; i++) {
		if (side_that_ends(block->parts[i]) >= 0) {
			walk_if_and_rest(walk, block, i);
			break;
		}
		statement_walk(walk, block->parts[i]);
		walk->uncertain += jumps_leave(block->parts[i], "continue") ||
				   jumps_leave(block->parts[i], "return");
	}
	walk->uncertain = before;
}

static void walk_block(struct walk *walk, struct syntax *block)
{
	bool ends = ends_program(block);

	walk->ending += ends;
	walk_statements(walk, block, 0);
	walk->ending -= ends;
}

/* Atomic writes look at what was there before. */
static void walk_simple(struct walk *walk, struct syntax *statement)
{
	walk_expression(walk, statement);
	if (walk->in_pipeline && statement->kind == SYNTAX_ASSIGN &&
	    followed_is_atomic(walk->unit, statement))
		walk_expression(walk, statement->parts[0]);
}

void statement_walk(struct walk *walk, struct syntax *statement)
{
	walk->changed = NULL;
	switch (statement->kind) {
	case SYNTAX_BLOCK:
		walk_block(walk, statement);
		return;
	case SYNTAX_DECLARATION:
		walk_declaration(walk, statement);
		return;
	case SYNTAX_IF:
		walk_if(walk, statement);
		return;
	case SYNTAX_FOR:
		walk_for(walk, statement);
		return;
	case SYNTAX_LOOP:
		walk_rounds(walk, statement);
		return;
	case SYNTAX_LEAVE:
		if (statement->count)
			walk_expression(walk, statement->parts[0]);
		return;
	case SYNTAX_NOTHING:
		return;
	case SYNTAX_STRANGE:
		walk_stop_unless_said(walk, statement->range,
				      "a statement of this kind is not followed");
		return;
	default:
		walk_simple(walk, statement);
		return;
	}
}

void statement_walk_body(struct walk *walk, struct syntax *body)
{
	bool left = is_left(body);

	walk->uncertain += left;
	statement_walk(walk, body);
	walk->uncertain -= left;
}

struct syntax *walk_callee(struct walk *walk, struct syntax *body)
{
	struct syntax *last = body->count ? body->parts[body->count - 1] : NULL, *value = NULL;

	if (ends_program(body) || returns_early(body, true)) {
		walk_block(walk, body);
		return NULL;
	}
	for (unsigned int i = 0; i + 1 < body->count; i++)
		statement_walk(walk, body->parts[i]);
	if (last && last->kind == SYNTAX_LEAVE && last->count)
		value = walk_expression(walk, last->parts[0]);
	else if (last)
		statement_walk(walk, last);
	return value;
}
