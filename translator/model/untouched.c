/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * untouched.c - after which parallel constructs sequential code touches no shared memory, and the
 * places from where on it does.
 *
 * Between two constructs there is often nothing but a loop counter, a swap of pointers, or
 * arithmetic with what was reduced: automatic variables, on a stack that every node has to itself.
 * Of other memory what an expression names may be read: that the run time brings before it.
 * Everything else ends that: the run time is informed before it.  Between the constructs of
 * functions that the text shows all calls of, callers are walked through, too: such a function
 * *passes on* what it was entered with, and what it leaves.  The run time is informed before any
 * other function is left.  A function whose flow is not that of its blocks is left alone.
 */
#include "untouched.h"

#include <string.h>

#include "gap.h"
#include "jumps.h"
#include "named.h"
#include "passage.h"
#include "room.h"
#include "read/directive_facts.h"
#include "read/source.h"
#include "read/unit.h"
#include "scope.h"

/* Of the functions of the text. */
struct functions {
	struct unit *unit;
	struct passing passing;
	bool *has;    /* a region is in it, or in what it calls */
	bool *passes; /* it passes on */
};

struct walk {
	struct functions *functions;
	bool passes; /* the function does */
	bool open;   /* here a construct may have ended since memory was touched last */
	bool fresh;  /* the last one of REGIONS has just ended */
	bool failed; /* something is not understood */
	LIST(size_t) regions;
	touch_list touches;
	named_list reads; /* what comes next reads */
};

/* -- expressions ------------------------------------------------------------------------------- */

/* Whether PIECE reads and names all that it accesses, which is noted; CERTAIN as for named_reads().
 */
static bool only_reads(struct walk *walk, const struct syntax *piece, bool certain)
{
	return named_reads(&walk->functions->passing, piece, certain, &walk->reads);
}

static struct rooms rooms_of(const struct walk *walk)
{
	return (struct rooms){&walk->functions->passing, walk->passes};
}

/* An object's address is none of its values. */
static bool argument_only_reads(struct walk *walk, const struct syntax *piece)
{
	if (piece->kind == SYNTAX_ADDRESS && piece->parts[0]->kind == SYNTAX_VARIABLE)
		return true;
	return only_reads(walk, piece, true);
}

/* One of them may change what another one depends on. */
static bool arguments_only_read(struct walk *walk, const struct syntax *call)
{
	bool changes = false;

	for (unsigned int i = 0; i < call->count; i++) {
		if (!argument_only_reads(walk, call->parts[i]))
			return false;
		changes |= syntax_has(call->parts[i], SYNTAX_ASSIGN, SYNTAX_STEP);
	}
	return !changes || !walk->reads.count;
}

/* -- constructs -------------------------------------------------------------------------------- */

static bool is_region(const struct directive *directive)
{
	return directive_is(directive->kind, IS_PARALLEL) && directive->parent < 0;
}

/* The first directive from FROM on that stands before TO, or NULL. */
static struct directive *directive_in(const struct unit *unit, unsigned int from, unsigned int to)
{
	const struct directive_list *list = &unit->directives;

	for (size_t i = directives_from(list, from);
	     i < list->list.count && list->list.items[i].offset < to; i++)
		if (list->list.items[i].kind != DIRECTIVE_IGNORED)
			return &list->list.items[i];
	return NULL;
}

static bool is_called_region(void *context, const struct syntax *piece)
{
	const struct functions *functions = context;

	return piece->kind == SYNTAX_CALL && piece->function >= 0 &&
	       functions->has[piece->function];
}

static bool is_passing_call(void *context, const struct syntax *piece)
{
	const struct functions *functions = context;

	return piece->kind == SYNTAX_CALL && piece->function >= 0 &&
	       functions->passes[piece->function];
}

/* A call where what comes after it is not walked: the function may not pass on. */
static bool forbid(void *context, const struct syntax *piece)
{
	struct functions *functions = context;

	if (piece->kind == SYNTAX_CALL && piece->function >= 0)
		functions->passes[piece->function] = false;
	return false;
}

/* Whether VISIT is true of PIECE, or something in it, but not in what that calls. */
static bool is_in(const struct syntax *piece, syntax_visit *visit, void *context)
{
	if (!piece)
		return false;
	if (visit(context, piece))
		return true;
	for (unsigned int i = 0; i < piece->count; i++)
		if (is_in(piece->parts[i], visit, context))
			return true;
	return false;
}

static bool has_region(struct functions *functions, const struct syntax *piece)
{
	for (struct directive *directive =
		     directive_in(functions->unit, piece->range.from, piece->range.to);
	     directive;
	     directive = directive_in(functions->unit, directive->offset + 1, piece->range.to))
		if (is_region(directive))
			return true;
	return is_in(piece, is_called_region, functions);
}

/* What is found out before the loops of a region begin; bounds of inner ones may come later. */
static bool bounds_only_read(struct walk *walk, const struct directive *directive,
			     const struct syntax *piece)
{
	for (unsigned int i = 0; i < directive->loop_count; i++) {
		while (piece && piece->kind == SYNTAX_BLOCK && piece->count == 1)
			piece = piece->parts[0];
		if (!piece || piece->kind != SYNTAX_FOR)
			return false;
		for (unsigned int j = 0; j < 3; j++)
			if (!only_reads(walk, piece->parts[j], i == 0))
				return false;
		piece = piece->parts[3];
	}
	return true;
}

/* Whether nothing is touched before its region starts, but what is read. */
static bool starts_untouched(struct walk *walk, const struct directive *directive,
			     const struct syntax *piece)
{
	for (size_t i = 0; i < directive->clauses.count; i++) {
		const struct clause *clause = &directive->clauses.items[i];

		if (clause->kind == CLAUSE_IF || clause->kind == CLAUSE_NUM_THREADS ||
		    clause->kind == CLAUSE_SCHEDULE || clause->kind == CLAUSE_COPYIN)
			return false;
		for (size_t j = 0; j < clause->items.count; j++)
			if (clause->items.items[j].section_count)
				return false;
	}
	/* The pointers through which it writes are automatic. */
	return bounds_only_read(walk, directive, piece);
}

/* -- statements -------------------------------------------------------------------------------- */

/* Something is touched from OFFSET on; right after a region, that need not wait. */
static void touch(struct walk *walk, unsigned int offset)
{
	if (walk->fresh)
		walk->regions.count--;
	else if (walk->open)
		list_add(&walk->touches)->offset = offset;
	walk->open = walk->fresh = false;
	walk->reads.count = 0;
}

/*
 * What has been noted is read: by the statement at OFFSET, before which there is room, or INSIDE
 * of it by the expression there, which may come to be evaluated again.
 */
static void read_named(struct walk *walk, unsigned int offset, bool inside)
{
	struct touch *touch;

	if (walk->reads.count && walk->open) {
		touch = list_add(&walk->touches);
		touch->offset = offset;
		touch->inside = inside;
		for (size_t i = 0; i < walk->reads.count; i++)
			*list_add(&touch->reads) = walk->reads.items[i];
	}
	if (walk->reads.count)
		walk->fresh = false;
	walk->reads.count = 0;
}

/* Whatever was touched, a region may have ended since. */
static void reopen(struct walk *walk)
{
	walk->open = true;
	walk->fresh = false;
}

static void walk_statement(struct walk *walk, const struct syntax *piece, unsigned int from);

static bool is_declaration(const struct syntax *piece)
{
	return piece->kind == SYNTAX_DECLARATION || piece->kind == SYNTAX_BLOCK;
}

static unsigned int after_brace(const struct walk *walk, const struct syntax *block)
{
	const struct source *source = &walk->functions->unit->source;

	return source->tokens.items[source_token_at(source, block->range.from) + 1].offset;
}

/* What an if or a loop governs: a call has room in braces only, and none before them. */
static void walk_body(struct walk *walk, const struct syntax *body, unsigned int from)
{
	size_t before = walk->touches.count;

	struct rooms rooms = rooms_of(walk);

	walk_statement(walk, body, from);
	while (before < walk->touches.count && walk->touches.items[before].inside)
		before++;
	/* What is deeper inside has been looked at. */
	if (walk->touches.count == before || walk->touches.items[before].offset > body->range.from)
		return;
	if (!room_is_compound(&rooms, body))
		walk->failed = true;
	else
		walk->touches.items[before].offset = after_brace(walk, body);
}

static void walk_block(struct walk *walk, const struct syntax *block)
{
	unsigned int from = block->range.from;

	for (unsigned int i = 0; i < block->count; i++)
		if (block->parts[i]) {
			walk_statement(walk, block->parts[i], from);
			from = block->parts[i]->range.to;
		}
	if (directive_in(walk->functions->unit, from, block->range.to))
		touch(walk, block->range.to - 1);
}

static void walk_if(struct walk *walk, const struct syntax *piece)
{
	unsigned int from = piece->range.from;
	bool open;

	if (only_reads(walk, piece->parts[0], true))
		read_named(walk, piece->parts[0]->range.from, true);
	else
		touch(walk, piece->range.from);
	is_in(piece->parts[0], forbid, walk->functions);
	open = walk->open;
	for (unsigned int i = 1; i < piece->count; i++)
		if (piece->parts[i]) {
			walk->open = open;
			walk->fresh = false;
			walk_body(walk, piece->parts[i], from);
			from = piece->parts[i]->range.to;
		}
	reopen(walk);
}

/* PART of the head of LOOP: a declaration has room before the loop alone. */
static void walk_head(struct walk *walk, const struct syntax *loop, const struct syntax *part)
{
	if (!only_reads(walk, part, true))
		walk->failed = true;
	else if (part)
		read_named(walk, is_declaration(part) ? loop->range.from : part->range.from,
			   !is_declaration(part));
}

static void walk_loop(struct walk *walk, const struct syntax *piece)
{
	unsigned int body = piece->kind == SYNTAX_FOR ? 3 : 1;

	reopen(walk);
	for (unsigned int i = 0; i < body; i++)
		walk_head(walk, piece, piece->parts[i]);
	reopen(walk);
	if (piece->parts[body])
		walk_body(walk, piece->parts[body], piece->range.from);
	reopen(walk);
}

/* The call that is all of a statement, or the value that it gives to an automatic variable. */
static const struct syntax *call_of(const struct walk *walk, const struct syntax *piece)
{
	const struct syntax *call;

	if (piece->kind == SYNTAX_BLOCK && piece->count == 1)
		piece = piece->parts[0];
	call = piece;
	if (piece->kind == SYNTAX_DECLARATION && piece->automatic && piece->count)
		call = piece->parts[0];
	while (call && call->kind == SYNTAX_ASSIGN && call->word && !strcmp(call->word, "=") &&
	       call->parts[0]->kind == SYNTAX_VARIABLE &&
	       named_is_harmless(&walk->functions->passing, call->parts[0]))
		call = call->parts[1];
	return call && call->kind == SYNTAX_CALL ? call : NULL;
}

/* A statement that calls functions with regions, and has no pragma. */
static void walk_call(struct walk *walk, const struct syntax *piece)
{
	const struct syntax *call = call_of(walk, piece);
	bool passes = call && is_passing_call(walk->functions, call);

	if (passes && arguments_only_read(walk, call))
		read_named(walk, piece->range.from, !is_declaration(piece));
	else
		touch(walk, piece->range.from);
	for (unsigned int i = 0; passes && i < call->count; i++)
		is_in(call->parts[i], forbid, walk->functions);
	if (passes)
		reopen(walk);
	else
		is_in(piece, forbid, walk->functions);
}

/* A team of one runs its region as sequential code, which is not walked through. */
static void walk_region(struct walk *walk, const struct directive *directive,
			const struct syntax *piece)
{
	is_in(piece, forbid, walk->functions);
	if (starts_untouched(walk, directive, piece))
		read_named(walk, directive->offset, false);
	else
		touch(walk, directive->offset);
	*list_add(&walk->regions) =
		(size_t)(directive - walk->functions->unit->directives.list.items);
	walk->open = walk->fresh = true;
}

static void forget_touches(struct walk *walk, size_t from)
{
	while (walk->touches.count > from)
		list_free(&walk->touches.items[--walk->touches.count].reads);
}

/* A loop without a region, in rounds of which no more than reading comes; false: it is not walked.
 */
static bool walk_rounds(struct walk *walk, const struct syntax *piece)
{
	size_t before = walk->touches.count;
	struct walk state = *walk;
	bool reads = true;

	walk_loop(walk, piece);
	for (size_t i = before; i < walk->touches.count; i++)
		reads &= walk->touches.items[i].reads.count > 0;
	if (reads && walk->failed == state.failed)
		return true;
	walk->failed = state.failed;
	walk->fresh = state.fresh;
	forget_touches(walk, before);
	return false;
}

/* An if or a loop without a region, or other statements; false: it touches more than it reads. */
static bool walk_reading(struct walk *walk, const struct syntax *piece)
{
	struct rooms rooms = rooms_of(walk);
	const struct syntax *expression = room_expression(&rooms, piece);

	if (room_is_harmless(&rooms, piece))
		return true;
	if (room_is_compound(&rooms, piece)) {
		walk_block(walk, piece);
		return true;
	}
	if (piece->kind == SYNTAX_IF && room_in_branches(&rooms, piece)) {
		walk_if(walk, piece);
		return true;
	}
	if (expression && only_reads(walk, expression, true)) {
		read_named(walk, piece->range.from, !is_declaration(piece));
		return true;
	}
	if (!expression && (room_before_declarations(&rooms, piece, &walk->reads) ||
			    room_before(&rooms, piece, &walk->reads))) {
		read_named(walk, piece->range.from, false);
		return true;
	}
	return piece->kind == SYNTAX_FOR && room_takes_few_rounds(&rooms, piece) &&
	       walk_rounds(walk, piece);
}

/* A statement without a region; it has no pragma before it. */
static void walk_simple(struct walk *walk, const struct syntax *piece)
{
	const struct unit *unit = walk->functions->unit;

	if (walk->open &&
	    (directive_in(unit, piece->range.from, piece->range.to) || !walk_reading(walk, piece)))
		touch(walk, piece->range.from);
	walk->fresh = false;
}

/* Pragmas may stand before PIECE, from FROM on. */
static void walk_statement(struct walk *walk, const struct syntax *piece, unsigned int from)
{
	struct functions *functions = walk->functions;
	struct rooms rooms = rooms_of(walk);
	const struct directive *directive = directive_in(functions->unit, from, piece->range.from);

	if (directive && is_region(directive) && directive->body.from == piece->range.from) {
		walk_region(walk, directive, piece);
		return;
	}
	if (directive) {
		walk->failed |= has_region(functions, piece);
		touch(walk, directive->offset);
		return;
	}
	if (!has_region(functions, piece)) {
		walk_simple(walk, piece);
		return;
	}
	if (room_is_compound(&rooms, piece))
		walk_block(walk, piece);
	else if (piece->kind == SYNTAX_IF)
		walk_if(walk, piece);
	else if (piece->kind == SYNTAX_FOR || piece->kind == SYNTAX_LOOP)
		walk_loop(walk, piece);
	else if (directive_in(functions->unit, piece->range.from, piece->range.to))
		walk->failed = true;
	else
		walk_call(walk, piece);
}

/* -- functions --------------------------------------------------------------------------------- */

/* Through FUNCTION; false: what that came to means nothing. */
static bool walk_function(struct walk *walk, size_t function)
{
	struct functions *functions = walk->functions;
	const struct syntax *body = functions->unit->syntax.functions.items[function].body;

	walk->passes = walk->open = functions->passes[function];
	if (!jumps_none(functions->unit, body))
		return false;
	walk_block(walk, body);
	if (!walk->passes)
		touch(walk, body->range.to - 1);
	return !walk->failed;
}

static void end_walk(struct walk *walk)
{
	list_free(&walk->regions);
	untouched_free(&walk->touches);
	list_free(&walk->reads);
}

/* Functions pass on until a caller is found that is not walked through.  Whether none was. */
static bool all_callers_walk(struct functions *functions)
{
	const struct syntax_trees *trees = &functions->unit->syntax;
	bool *before = memory_new((trees->functions.count + 1) * sizeof(bool));
	bool same;

	memcpy(before, functions->passes, trees->functions.count * sizeof(bool));
	for (size_t i = 0; i < trees->functions.count; i++) {
		struct walk walk = {.functions = functions};

		if (!functions->has[i])
			continue;
		if (!walk_function(&walk, i)) {
			is_in(trees->functions.items[i].body, forbid, functions);
			functions->passes[i] = false;
		}
		end_walk(&walk);
	}
	same = !memcmp(before, functions->passes, trees->functions.count * sizeof(bool));
	memory_free(before);
	return same;
}

static void find_regions(struct functions *functions)
{
	const struct syntax_trees *trees = &functions->unit->syntax;
	bool more = true;

	while (more) {
		more = false;
		for (size_t i = 0; i < trees->functions.count; i++) {
			const struct syntax *body = trees->functions.items[i].body;

			if (!functions->has[i] && body && has_region(functions, body))
				functions->has[i] = more = true;
		}
	}
}

static void mark(struct functions *functions, size_t function)
{
	struct unit *unit = functions->unit;
	struct walk walk = {.functions = functions};
	bool known = walk_function(&walk, function);

	for (size_t i = 0; known && i < walk.regions.count; i++)
		unit->directives.list.items[walk.regions.items[i]].untouched = true;
	for (size_t i = 0; known && i < walk.touches.count; i++)
		*list_add(&unit->touches) = walk.touches.items[i];
	if (known)
		walk.touches.count = 0;
	end_walk(&walk);
}

void untouched_free(touch_list *touches)
{
	for (size_t i = 0; i < touches->count; i++)
		list_free(&touches->items[i].reads);
	list_free(touches);
}

void untouched_find(struct unit *unit)
{
	size_t count = unit->syntax.functions.count;
	struct functions functions = {.unit = unit};
	bool hidden;

	if (unit->synchronisation.any || !unit->directives.list.count)
		return;
	functions.has = memory_new((count + 1) * sizeof(bool));
	functions.passes = memory_new((count + 1) * sizeof(bool));
	passage_start(&functions.passing, unit, NULL, NULL);
	find_regions(&functions);
	hidden = jumps_hidden_calls(unit);
	for (size_t i = 0; i < count; i++)
		functions.passes[i] = functions.has[i] && !hidden && gap_shows_all_calls(unit, i);
	while (!all_callers_walk(&functions))
		;
	for (size_t i = 0; i < count; i++)
		if (functions.has[i])
			mark(&functions, i);
	passage_end(&functions.passing, true);
	memory_free(functions.has);
	memory_free(functions.passes);
}
