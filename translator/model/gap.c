/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gap.c - what a region does between two sync points, one of which is that of a known loop.
 *
 * From the end of a construct the way goes out of the statements around it, to the end of the
 * region; from the end of a function, to wherever that is called.
 */
#include "gap.h"

#include <string.h>

#include "read/directive_facts.h"
#include "read/source.h"
#include "read/unit.h"

/* A place in a region. */
struct spot {
	const struct syntax *path[SYNTAX_DEPTH]; /* pieces around it, the outermost first */
	unsigned int depth;
	int function; /* the index of the one around; -1: the path begins in a region */
};

/* -- places ------------------------------------------------------------------------------------ */

/* The place of what begins at OFFSET: in REGION, or in a function that regions call. */
static bool find_spot(const struct unit *unit, const struct directive *region, unsigned int offset,
		      struct spot *spot)
{
	struct syntax *path[SYNTAX_DEPTH];
	unsigned int depth = syntax_path(&unit->syntax, offset, path, SYNTAX_DEPTH);

	spot->depth = 0;
	spot->function = region ? -1 : syntax_function_at(&unit->syntax, offset);
	for (unsigned int i = 0; i < depth; i++)
		if (!region || path[i]->range.from >= region->body.from)
			spot->path[spot->depth++] = path[i];
	return spot->depth > 0;
}

/* -- what comes after -------------------------------------------------------------------------- */

static bool is_quiet_after(struct passing *passing, const struct spot *spot, unsigned int depth);

static bool is_variable_at(const struct syntax *piece, unsigned int offset)
{
	if (!syntax_contains(piece, offset))
		return false;
	if ((piece->kind == SYNTAX_VARIABLE && piece->range.from == offset) ||
	    (piece->kind == SYNTAX_DECLARATION && piece->declaration == offset))
		return true;
	for (unsigned int i = 0; i < piece->count; i++)
		if (is_variable_at(piece->parts[i], offset))
			return true;
	return false;
}

static bool names_variable(const struct unit *unit, unsigned int offset)
{
	int function = syntax_function_at(&unit->syntax, offset);

	return function >= 0 && is_variable_at(unit->syntax.functions.items[function].body, offset);
}

/* Whether the name at OFFSET is that of a call which the trees have; what is declared is no call.
 */
static bool is_call_at(const struct unit *unit, unsigned int offset)
{
	struct syntax *path[SYNTAX_DEPTH];
	unsigned int depth = syntax_path(&unit->syntax, offset, path, SYNTAX_DEPTH);

	while (depth-- > 0)
		if (path[depth]->kind == SYNTAX_CALL && path[depth]->range.from == offset)
			return true;
	return syntax_function_at(&unit->syntax, offset) < 0;
}

/* Whether the text has the function's name otherwise than in calls that the trees have. */
static bool is_pointed_to(const struct unit *unit, const struct syntax_function *function)
{
	const struct source *source = &unit->source;
	const struct token *name = &source->tokens.items[source_token_at(source, function->name)];

	for (size_t i = 0; i + 1 < source->tokens.count; i++) {
		const struct token *token = &source->tokens.items[i];
		bool is_called = source->text.data[token[1].offset] == '(';

		if (token->length != name->length ||
		    memcmp(source->text.data + token->offset, source->text.data + name->offset,
			   name->length) != 0)
			continue;
		if (is_called ? !is_call_at(unit, token->offset)
			      : !names_variable(unit, token->offset))
			return true;
	}
	return false;
}

static bool is_main(const struct unit *unit, int function)
{
	unsigned int name = unit->syntax.functions.items[function].name;

	return !strncmp(unit->source.text.data + name, "main", 4) &&
	       !strchr("_0123456789", unit->source.text.data[name + 4]);
}

bool gap_shows_all_calls(const struct unit *unit, size_t function)
{
	const struct syntax_function *called = &unit->syntax.functions.items[function];

	return called->is_static && !is_pointed_to(unit, called);
}

typedef bool call_test(struct passing *passing, const struct syntax *call);

/* Whether TEST is true for all calls of FUNCTION in PIECE. */
static bool all_calls_in(struct passing *passing, const struct syntax *piece, int function,
			 call_test *test)
{
	if (!piece)
		return true;
	if (piece->kind == SYNTAX_CALL && piece->function == function && !test(passing, piece))
		return false;
	for (unsigned int i = 0; i < piece->count; i++)
		if (!all_calls_in(passing, piece->parts[i], function, test))
			return false;
	return true;
}

/* The same of all calls that there are; false: the text does not show them. */
static bool all_calls(struct passing *passing, int function, call_test *test)
{
	const struct syntax_trees *trees = &passing->unit->syntax;
	const struct syntax_function *called = &trees->functions.items[function];

	if ((!called->is_static && !is_main(passing->unit, function)) ||
	    is_pointed_to(passing->unit, called))
		return false;
	for (size_t i = 0; i < trees->functions.count; i++)
		if (!all_calls_in(passing, trees->functions.items[i].body, function, test))
			return false;
	return true;
}

/* Whether no region calls FUNCTION. */
static bool is_sequential(struct passing *passing, int function);

static bool is_sequential_call(struct passing *passing, const struct syntax *call)
{
	return !directive_around(&passing->unit->directives, call->range.from) &&
	       is_sequential(passing, syntax_function_at(&passing->unit->syntax, call->range.from));
}

static bool is_sequential(struct passing *passing, int function)
{
	unsigned char *known = &passing->sequential[function];

	if (!*known) {
		*known = 1 + true; /* as long as nothing else is found */
		*known = 1 + all_calls(passing, function, is_sequential_call);
	}
	return *known - 1;
}

static bool ask(struct passing *passing, const struct syntax *call)
{
	const struct directive *around =
		directive_around(&passing->unit->directives, call->range.from);

	if (is_sequential_call(passing, call))
		return true;
	return around && around->kind == DIRECTIVE_PARALLEL &&
	       passing->question->ask(passing->question, call, around);
}

static bool after_call(struct passing *passing, const struct syntax *call)
{
	const struct unit *unit = passing->unit;
	const struct directive *around = directive_around(&unit->directives, call->range.from),
			       *region = passing->region;
	struct spot spot;
	bool quiet;

	if (is_sequential_call(passing, call))
		return true;
	if ((around && around->kind != DIRECTIVE_PARALLEL) ||
	    !find_spot(unit, around, call->range.from, &spot) || spot.path[spot.depth - 1] != call)
		return false;
	passing->region = around;
	quiet = is_quiet_after(passing, &spot, spot.depth - 1);
	passing->region = region;
	return quiet;
}

static bool after_function(struct passing *passing, int function)
{
	if (function < 0)
		return false;
	if (passing->after[function])
		return true;
	passing->after[function] = true;
	return !is_main(passing->unit, function) && all_calls(passing, function, after_call);
}

/* Of the block at DEPTH the parts after OFFSET, and what comes after it. */
static bool after_part(struct passing *passing, const struct spot *spot, unsigned int depth,
		       unsigned int offset)
{
	const struct syntax *block = spot->path[depth];
	enum passage passage;
	unsigned int i = 0;

	while (i < block->count && (!block->parts[i] || block->parts[i]->range.from < offset))
		i++;
	passage = passage_of_block(passing, block, i, offset);
	return passage == PASSAGE_ENDS ||
	       (passage == PASSAGE_GOES_ON && is_quiet_after(passing, spot, depth));
}

/* The loop may go on, or end. */
static bool after_round(struct passing *passing, const struct spot *spot, unsigned int depth)
{
	const struct syntax *loop = spot->path[depth - 1];
	unsigned int body = loop->kind == SYNTAX_FOR ? 3 : 1;

	if (loop->parts[body] != spot->path[depth])
		return false;
	for (unsigned int i = loop->kind == SYNTAX_FOR; i < body; i++)
		if (!passage_is_harmless(passing, loop->parts[i]))
			return false;
	return passage_of(passing, loop->parts[body], loop->range.from,
			  loop->parts[body]->range.from) != PASSAGE_BROKEN &&
	       is_quiet_after(passing, spot, depth - 1);
}

/* After the piece at DEPTH of the path. */
static bool is_quiet_after(struct passing *passing, const struct spot *spot, unsigned int depth)
{
	if (!depth)
		return passing->region ? gap_reduces_by_name(passing->region)
				       : after_function(passing, spot->function);
	switch (spot->path[depth - 1]->kind) {
	case SYNTAX_BLOCK:
		return after_part(passing, spot, depth - 1, spot->path[depth]->range.to);
	case SYNTAX_FOR:
	case SYNTAX_LOOP:
		return after_round(passing, spot, depth);
	case SYNTAX_IF:
		return spot->path[depth - 1]->parts[0] != spot->path[depth] &&
		       is_quiet_after(passing, spot, depth - 1);
	default:
		return false;
	}
}

bool gap_reduces_by_name(const struct directive *directive)
{
	for (size_t i = 0; i < directive->clauses.count; i++) {
		const struct clause *clause = &directive->clauses.items[i];

		for (size_t j = 0; clause->kind == CLAUSE_REDUCTION && j < clause->items.count; j++)
			if (clause->items.items[j].section_count ||
			    clause->items.items[j].declared || clause->items.items[j].own)
				return false;
	}
	return true;
}

/* -- questions --------------------------------------------------------------------------------- */

static bool find(struct passing *passing, const struct directive *directive)
{
	const struct unit *unit = passing->unit;
	const struct directive *around = directive_parent(&unit->directives, directive);
	struct spot spot;

	if (around && around->kind != DIRECTIVE_PARALLEL)
		return false;
	passing->region = around;
	if (directive->kind == DIRECTIVE_BARRIER)
		return find_spot(unit, around, directive->offset, &spot) &&
		       spot.path[spot.depth - 1]->kind == SYNTAX_BLOCK &&
		       after_part(passing, &spot, spot.depth - 1, directive->end);
	if (!find_spot(unit, around, directive->body.from, &spot) ||
	    spot.path[spot.depth - 1]->range.from != directive->body.from)
		return false;
	/* An expression and what stands first in it begin at the same place. */
	while (spot.depth > 1 && spot.path[spot.depth - 2]->range.from == directive->body.from)
		spot.depth--;
	return is_quiet_after(passing, &spot, spot.depth - 1);
}

bool gap_is_quiet_after(const struct unit *unit, const struct directive *directive, struct gap *gap)
{
	struct passing passing;

	if (directive_is(directive->kind, IS_PARALLEL))
		return true;
	passage_start(&passing, unit, directive, &gap->reads);
	passing.changes = &gap->changes;
	passing.prints = &gap->prints;
	return passage_end(&passing, find(&passing, directive));
}

void gap_clear(struct gap *gap)
{
	list_free(&gap->reads);
	list_free(&gap->changes);
}

bool gap_asks_calls(const struct unit *unit, int function, const struct call_question *question)
{
	struct passing passing;

	passage_start(&passing, unit, NULL, NULL);
	passing.question = question;
	return passage_end(&passing, all_calls(&passing, function, ask));
}

bool gap_may_wait(const struct unit *unit, const struct directive *directive)
{
	read_list reads = {0};
	struct passing passing;
	bool may;

	passage_start(&passing, unit, directive, &reads);
	passing.to_sync_point = true;
	may = passage_end(&passing, find(&passing, directive));
	list_free(&reads);
	return may;
}

bool gap_is_quiet_before(const struct unit *unit, const struct directive *directive,
			 read_list *reads)
{
	struct passing passing;
	struct spot spot;

	if (directive->kind != DIRECTIVE_PARALLEL)
		return directive_is(directive->kind, IS_LOOP) && directive->planned;
	passage_start(&passing, unit, directive, reads);
	passing.region = directive;
	return passage_end(&passing,
			   find_spot(unit, directive, directive->body.from, &spot) &&
				   passage_of(&passing, spot.path[0], directive->end,
					      spot.path[0]->range.from) != PASSAGE_BROKEN);
}
