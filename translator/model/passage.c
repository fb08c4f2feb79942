/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * passage.c - going on from a place in a region to the next loop that is known, or sync point.
 *
 * On the way nothing may happen that concerns other nodes: a thread may change variables of its
 * own, and read static ones, which are noted: at run time is found whether they are on every node.
 * The same goes for static ones that it changes, and for the stream to which it prints, where
 * nothing but a sync point comes next.
 */
#include "passage.h"

#include <string.h>

#include "check/sharing.h"
#include "pipeline.h"
#include "read/directive_facts.h"
#include "read/known.h"
#include "read/unit.h"
#include "scope.h"
#include "visible.h"

void passage_start(struct passing *passing, const struct unit *unit, const struct directive *from,
		   read_list *reads)
{
	*passing = (struct passing){.unit = unit,
				    .from = from,
				    .reads = reads,
				    .through = memory_new(unit->syntax.functions.count + 1),
				    .sequential = memory_new(unit->syntax.functions.count + 1),
				    .after = memory_new(unit->syntax.functions.count + 1)};
}

bool passage_end(struct passing *passing, bool result)
{
	memory_free(passing->through);
	memory_free(passing->sequential);
	memory_free(passing->after);
	return result;
}

/* -- expressions ------------------------------------------------------------------------------- */

static bool is_own(const struct passing *passing, const struct syntax *variable)
{
	const struct tree *tree = &passing->unit->tree;
	const struct directive *region = passing->region;
	unsigned int index = tree_variable_at(tree, variable->declaration);
	int at = region ? (int)(region - passing->unit->directives.list.items) : -1;

	if (!variable->automatic)
		return false;
	return index == NO_VARIABLE || !region ||
	       tree->variables.items[index].function != region->function ||
	       variable->declaration > region->offset ||
	       !sharing_is_shared_at(passing->unit, at, index);
}

static bool is_plain(const struct type *type)
{
	return !type->is_volatile && !type->is_atomic && !type->variable_size && !type->bit_field;
}

static bool is_same(const struct syntax *one, const struct syntax *other)
{
	if (one->kind != other->kind || one->count != other->count || one->arrow != other->arrow ||
	    one->declaration != other->declaration ||
	    strcmp(one->word ? one->word : "", other->word ? other->word : "") != 0)
		return false;
	for (unsigned int i = 0; i < one->count; i++)
		if (!is_same(one->parts[i], other->parts[i]))
			return false;
	return true;
}

static void note(read_list *list, const struct syntax *object)
{
	for (size_t i = 0; i < list->count; i++)
		if (is_same(list->items[i], object))
			return;
	*list_add(list) = object;
}

/* A static variable is read; whether all nodes have it the run time knows. */
static bool may_read_static(struct passing *passing, const struct syntax *variable)
{
	if (variable->type.is_atomic || variable->type.variable_size || !passing->reads ||
	    !visible_at(passing->unit, passing->from->offset, variable))
		return false;
	note(passing->reads, variable);
	return true;
}

/* Whether PIECE is a number, or a variable that is the same in all of the region, and before. */
static bool is_steady(const struct passing *passing, const struct syntax *piece)
{
	const struct unit *unit = passing->unit;
	const struct directive *region = passing->region;
	unsigned int index;
	const struct variable *variable;
	const struct syntax *body;

	if (piece->kind == SYNTAX_NUMBER)
		return true;
	if (piece->kind != SYNTAX_VARIABLE || !piece->automatic || !is_plain(&piece->type))
		return false;
	index = tree_variable_at(&unit->tree, piece->declaration);
	if (index == NO_VARIABLE || !visible_at(unit, region->offset, piece) ||
	    !visible_at(unit, passing->from->offset, piece) ||
	    !sharing_is_shared_at(unit, (int)(region - unit->directives.list.items), index))
		return false;
	variable = &unit->tree.variables.items[index];
	body = syntax_first_from(&unit->syntax, region->body.from);
	return variable->function == region->function && !variable->address_taken && body &&
	       !scope_changes(&unit->syntax, body, piece->declaration);
}

/*
 * What a pointer that stays the same leads to is read, in the region in which, or before which,
 * that is looked at: its place is known there already.
 */
static bool may_read_through(struct passing *passing, const struct syntax *object)
{
	const struct directive *region = passing->region, *from = passing->from;
	const struct syntax *piece = object;
	bool through = false;

	if (!passing->reads || !region || passing->returns || object->type.kind == TYPE_ARRAY ||
	    (from != region &&
	     (from->offset < region->body.from || from->offset >= region->body.to)))
		return false;
	for (; piece->kind == SYNTAX_ELEMENT || piece->kind == SYNTAX_MEMBER;
	     piece = piece->parts[0]) {
		if (through || !is_plain(&piece->type) ||
		    (piece->kind == SYNTAX_ELEMENT && !is_steady(passing, piece->parts[1])))
			return false;
		through = piece->kind == SYNTAX_ELEMENT ? piece->parts[0]->type.kind != TYPE_ARRAY
							: piece->arrow;
	}
	if (!through || piece->kind != SYNTAX_VARIABLE || !is_steady(passing, piece))
		return false;
	note(passing->reads, object);
	return true;
}

/* The indices in it are not looked at here. */
static bool may_read(struct passing *passing, const struct syntax *object)
{
	const struct syntax *variable = scope_variable(object);

	if (!variable)
		return may_read_through(passing, object);
	if (variable->type.is_volatile || object->type.is_volatile)
		return false;
	/* The name of an array is its address. */
	return variable->automatic || object->type.kind == TYPE_ARRAY ||
	       may_read_static(passing, variable);
}

static bool is_number(const struct type *type)
{
	return is_plain(type) && (type->kind == TYPE_INTEGER || type->kind == TYPE_FLOATING);
}

/*
 * Something of a static VARIABLE is changed, which the next sync point finds, where all nodes have
 * its pages.  A pointer might decide on what loops access.
 */
static bool may_change(struct passing *passing, const struct syntax *object,
		       const struct syntax *variable)
{
	if (!passing->changes || variable->automatic || !is_plain(&variable->type) ||
	    !is_number(&object->type) ||
	    !visible_at(passing->unit, passing->from->offset, variable))
		return false;
	note(passing->changes, variable);
	return true;
}

static bool may_write(struct passing *passing, const struct syntax *object)
{
	const struct syntax *variable = scope_variable(object);

	return variable && (is_own(passing, variable) || may_change(passing, object, variable));
}

/* A loop is described by each node: what decides on that must not be changed before. */
static bool has_changed(const struct passing *passing)
{
	return passing->changes && (passing->changes->count || *passing->prints);
}

static bool is_text(const struct passing *passing, const struct syntax *piece)
{
	return passing->unit->source.text.data[piece->range.from] == '"';
}

/*
 * Whether CALL prints texts and numbers to the standard output, and no more: that changes nothing
 * of the program's but the stream.
 */
static bool may_print(struct passing *passing, const struct syntax *call)
{
	if (!passing->prints || !call->word || call->function >= 0 ||
	    (strcmp(call->word, "printf") && strcmp(call->word, "puts") &&
	     strcmp(call->word, "putchar")))
		return false;
	for (unsigned int i = 0; i < call->count; i++)
		if (!is_text(passing, call->parts[i]) &&
		    ((!i && strcmp(call->word, "putchar")) || !is_number(&call->parts[i]->type) ||
		     !passage_is_harmless(passing, call->parts[i])))
			return false;
	*passing->prints = true;
	return true;
}

static enum passage through_function(struct passing *passing, int function);

bool passage_may_call(struct passing *passing, const struct syntax *call)
{
	static const char *const asks[] = {"omp_get_thread_num", "omp_get_num_threads",
					   "omp_get_max_threads", "omp_in_parallel",
					   "omp_get_wtime"};

	if (call->function >= 0)
		return through_function(passing, call->function) == PASSAGE_GOES_ON;
	if (!call->word)
		return false;
	for (size_t i = 0; i < sizeof(asks) / sizeof(asks[0]); i++)
		if (!strcmp(call->word, asks[i]))
			return true;
	return known_function(call->word) == KNOWN_COMPUTES;
}

/* Whether PIECE is harmless if its parts are; *OBJECT: what it accesses. */
static bool is_harmless_itself(struct passing *passing, const struct syntax *piece,
			       const struct syntax **object)
{
	switch (piece->kind) {
	case SYNTAX_NUMBER:
	case SYNTAX_UNARY:
	case SYNTAX_BINARY:
	case SYNTAX_CHOICE:
	case SYNTAX_CAST:
	case SYNTAX_LIST:
	case SYNTAX_NOTHING:
	case SYNTAX_BLOCK: /* of declarations */
		return true;
	case SYNTAX_DECLARATION:
		return piece->automatic || !piece->count || !piece->parts[0];
	case SYNTAX_VARIABLE:
	case SYNTAX_ELEMENT:
	case SYNTAX_MEMBER:
		*object = piece;
		return may_read(passing, piece);
	case SYNTAX_ASSIGN:
	case SYNTAX_STEP:
		*object = piece->parts[0];
		return may_write(passing, piece->parts[0]);
	case SYNTAX_CALL:
		return passage_may_call(passing, piece);
	default:
		return false;
	}
}

/* The indices of an object that may itself be accessed. */
static bool indices_are_harmless(struct passing *passing, const struct syntax *object)
{
	for (; object->kind != SYNTAX_VARIABLE; object = object->parts[0])
		if (object->kind == SYNTAX_ELEMENT &&
		    !passage_is_harmless(passing, object->parts[1]))
			return false;
	return true;
}

/* Whether nobody can wait for it: for that memory is flushed, or volatile, or atomic. */
static bool is_not_waited_for(struct passing *passing, const struct syntax *piece)
{
	if (piece->type.is_volatile || piece->type.is_atomic || piece->kind == SYNTAX_STRANGE ||
	    piece->kind == SYNTAX_OPAQUE || piece->kind == SYNTAX_LEAVE ||
	    (piece->kind == SYNTAX_CALL && !passage_may_call(passing, piece)))
		return false;
	for (unsigned int i = 0; i < piece->count; i++)
		if (piece->parts[i] && !is_not_waited_for(passing, piece->parts[i]))
			return false;
	return true;
}

bool passage_is_harmless(struct passing *passing, const struct syntax *piece)
{
	const struct syntax *object = NULL;

	if (!piece)
		return true;
	if (passing->to_sync_point)
		return is_not_waited_for(passing, piece);
	if (piece->kind == SYNTAX_CALL && may_print(passing, piece))
		return true;
	if (!is_harmless_itself(passing, piece, &object))
		return false;
	if (object && !indices_are_harmless(passing, object))
		return false;
	for (unsigned int i = object ? 1 : 0; object != piece && i < piece->count; i++)
		if (!passage_is_harmless(passing, piece->parts[i]))
			return false;
	return true;
}

/* -- pragmas ----------------------------------------------------------------------------------- */

/* What gives the variable of a loop that is shared out a value, or steps it: the value alone. */
static bool value_is_harmless(struct passing *passing, const struct syntax *piece)
{
	if (piece && piece->kind == SYNTAX_STEP)
		return true;
	if (piece && piece->kind == SYNTAX_ASSIGN)
		piece = piece->parts[1];
	return passage_is_harmless(passing, piece);
}

/* The piece, a block perhaps, that is one loop inside of another one; or NULL. */
static const struct syntax *loop_in(const struct syntax *piece)
{
	while (piece && piece->kind == SYNTAX_BLOCK && piece->count == 1)
		piece = piece->parts[0];
	return piece && piece->kind == SYNTAX_FOR ? piece : NULL;
}

static bool has_digits(const struct passing *passing, struct range range)
{
	const char *text = passing->unit->source.text.data;

	for (unsigned int at = range.from; at < range.to; at++)
		if (!strchr("0123456789 ", text[at]))
			return false;
	return true;
}

/* What is found out before the loop begins, with values that others may have written before. */
static bool begin_is_harmless(struct passing *passing, const struct directive *directive,
			      const struct syntax *piece)
{
	const struct clause *schedule = directive_clause(directive, CLAUSE_SCHEDULE);

	if (directive_clause(directive, CLAUSE_FIRSTPRIVATE) ||
	    (schedule && !has_digits(passing, schedule->argument)))
		return false;
	for (unsigned int i = 0; i < directive->loop_count; i++) {
		piece = loop_in(piece);
		if (!piece || !value_is_harmless(passing, piece->parts[0]) ||
		    !passage_is_harmless(passing, piece->parts[1]) ||
		    !value_is_harmless(passing, piece->parts[2]))
			return false;
		piece = piece->parts[3];
	}
	return true;
}

/* A loop that is shared out.  Nobody else is waited for in one that is known. */
static enum passage of_loop(struct passing *passing, const struct directive *directive,
			    const struct syntax *piece)
{
	bool waits = !directive_clause(directive, CLAUSE_NOWAIT);

	if (passing->to_sync_point)
		return !directive->describable ? PASSAGE_BROKEN
		       : waits		       ? PASSAGE_ENDS
					       : PASSAGE_GOES_ON;
	return directive->planned && begin_is_harmless(passing, directive, piece) &&
			       !has_changed(passing)
		       ? PASSAGE_ENDS
		       : PASSAGE_BROKEN;
}

/* Whether a pipeline begins at OFFSET: what it does is known, as in a known loop. */
static bool begins_pipeline(const struct passing *passing, unsigned int offset)
{
	const struct unit *unit = passing->unit;

	for (size_t i = 0; i < unit->pipelines.count && !passing->to_sync_point; i++)
		if (unit->pipelines.items[i]->range.from == offset)
			return true;
	return false;
}

static enum passage of_pipeline(const struct passing *passing)
{
	return has_changed(passing) ? PASSAGE_BROKEN : PASSAGE_ENDS;
}

static enum passage of_statement(struct passing *passing, const struct syntax *piece);

/* A statement that one thread runs, whichever it is. */
static enum passage of_single(struct passing *passing, const struct directive *directive,
			      const struct syntax *piece)
{
	for (size_t i = 0; i < directive->clauses.count; i++)
		if (directive->clauses.items[i].kind != CLAUSE_NOWAIT)
			return PASSAGE_BROKEN;
	if (of_statement(passing, piece) != PASSAGE_GOES_ON)
		return PASSAGE_BROKEN;
	return directive_clause(directive, CLAUSE_NOWAIT) ? PASSAGE_GOES_ON : PASSAGE_ENDS;
}

/* The pragmas from FROM to TO, after which PIECE stands.  *PASSED: PIECE is with the last one. */
static enum passage of_pragmas(struct passing *passing, const struct syntax *piece,
			       unsigned int from, unsigned int to, bool *passed)
{
	const struct directive_list *directives = &passing->unit->directives;
	const struct directive *end = directives->list.items + directives->list.count;

	*passed = false;
	for (const struct directive *directive =
		     directives->list.items + directives_from(directives, from);
	     directive < end && directive->offset < to; directive++) {
		if (begins_pipeline(passing, directive->offset))
			return of_pipeline(passing);
		switch (directive->kind) {
		case DIRECTIVE_BARRIER:
			return PASSAGE_ENDS;
		case DIRECTIVE_MASTER:
		case DIRECTIVE_IGNORED:
			break;
		case DIRECTIVE_FOR:
		case DIRECTIVE_SINGLE:
			if (!piece || directive->body.from != piece->range.from)
				return PASSAGE_BROKEN;
			*passed = true;
			return directive->kind == DIRECTIVE_FOR
				       ? of_loop(passing, directive, piece)
				       : of_single(passing, directive, piece);
		default:
			return PASSAGE_BROKEN;
		}
	}
	return PASSAGE_GOES_ON;
}

/* -- statements -------------------------------------------------------------------------------- */

static enum passage of_expression(struct passing *passing, const struct syntax *piece)
{
	if (piece->kind == SYNTAX_CALL && piece->function >= 0) {
		for (unsigned int i = 0; i < piece->count; i++)
			if (!passage_is_harmless(passing, piece->parts[i]))
				return PASSAGE_BROKEN;
		return through_function(passing, piece->function);
	}
	return passage_is_harmless(passing, piece) ? PASSAGE_GOES_ON : PASSAGE_BROKEN;
}

/* One of the two is run. */
static enum passage of_either(enum passage one, enum passage other)
{
	if (one == other)
		return one;
	return one == PASSAGE_BROKEN || other == PASSAGE_BROKEN ? PASSAGE_BROKEN : PASSAGE_GOES_ON;
}

static enum passage of_optional(struct passing *passing, const struct syntax *piece,
				unsigned int from)
{
	return piece ? passage_of(passing, piece, from, piece->range.from) : PASSAGE_GOES_ON;
}

/* It may be run never, and again and again. */
static enum passage of_loop_body(struct passing *passing, const struct syntax *body,
				 unsigned int from)
{
	return of_either(of_optional(passing, body, from), PASSAGE_GOES_ON);
}

/* Of a function that is gone through, all of its loops are: what comes after the call goes on. */
static enum passage of_leave(struct passing *passing, const struct syntax *piece)
{
	if (!passing->returns)
		return PASSAGE_BROKEN;
	if (strcmp(piece->word, "return"))
		return PASSAGE_GOES_ON;
	*passing->returns = true;
	for (unsigned int i = 0; i < piece->count; i++)
		if (!passage_is_harmless(passing, piece->parts[i]))
			return PASSAGE_BROKEN;
	return PASSAGE_GOES_ON;
}

static enum passage of_statement(struct passing *passing, const struct syntax *piece)
{
	switch (piece->kind) {
	case SYNTAX_BLOCK:
		return passage_of_block(passing, piece, 0, piece->range.from);
	case SYNTAX_IF:
		if (!passage_is_harmless(passing, piece->parts[0]))
			return PASSAGE_BROKEN;
		return of_either(of_optional(passing, piece->parts[1], piece->range.from),
				 of_optional(passing, piece->parts[2],
					     piece->parts[1] ? piece->parts[1]->range.to
							     : piece->range.from));
	case SYNTAX_FOR:
		for (unsigned int i = 0; i < 3; i++)
			if (!passage_is_harmless(passing, piece->parts[i]))
				return PASSAGE_BROKEN;
		return of_loop_body(passing, piece->parts[3], piece->range.from);
	case SYNTAX_LOOP:
		if (!passage_is_harmless(passing, piece->parts[0]))
			return PASSAGE_BROKEN;
		return of_loop_body(passing, piece->parts[1], piece->range.from);
	case SYNTAX_LEAVE:
		return of_leave(passing, piece);
	case SYNTAX_STRANGE:
		return PASSAGE_BROKEN;
	default:
		return of_expression(passing, piece);
	}
}

enum passage passage_of(struct passing *passing, const struct syntax *piece, unsigned int from,
			unsigned int to)
{
	bool passed;
	enum passage passage = of_pragmas(passing, piece, from, to, &passed);

	if (passage != PASSAGE_GOES_ON || passed || !piece)
		return passage;
	return begins_pipeline(passing, piece->range.from) ? of_pipeline(passing)
							   : of_statement(passing, piece);
}

enum passage passage_of_block(struct passing *passing, const struct syntax *block,
			      unsigned int index, unsigned int from)
{
	for (; index < block->count; index++) {
		const struct syntax *piece = block->parts[index];
		enum passage passage;

		if (!piece)
			continue;
		passage = passage_of(passing, piece, from, piece->range.from);
		if (passage != PASSAGE_GOES_ON)
			return passage;
		from = piece->range.to;
	}
	return passage_of(passing, NULL, from, block->range.to);
}

/* -- functions --------------------------------------------------------------------------------- */

/* All of BODY; where it may return before a sync point, the code ends. */
static enum passage through_body(struct passing *passing, const struct syntax *body)
{
	bool returns = false, *around = passing->returns;
	enum passage passage;

	passing->returns = &returns;
	passage = passage_of_block(passing, body, 0, body->range.from);
	passing->returns = around;
	return returns ? of_either(passage, PASSAGE_GOES_ON) : passage;
}

/* One that calls itself is not gone through. */
static enum passage through_function(struct passing *passing, int function)
{
	const struct syntax *body = passing->unit->syntax.functions.items[function].body;
	unsigned char *known = &passing->through[function];

	if (!*known) {
		*known = 1 + PASSAGE_BROKEN;
		if (body)
			*known = (unsigned char)(1 + through_body(passing, body));
	}
	return (enum passage)(*known - 1);
}
