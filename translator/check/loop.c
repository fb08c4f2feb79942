/* SPDX-License-Identifier: GPL-2.0-or-later */
/* loop.c - takes the header of a canonical loop apart. */
#include "loop.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bind.h"
#include "read/constant.h"
#include "read/part.h"
#include "read/directive_facts.h"
#include "read/report.h"
#include "read/unit.h"

static const struct token *token_of(const struct unit *unit, unsigned int at)
{
	return &unit->source.tokens.items[at];
}

static bool is(const struct unit *unit, struct part part, unsigned int at, const char *word)
{
	return part_is(&unit->source, part, at, word);
}

static struct range text_of(const struct unit *unit, unsigned int first, unsigned int end)
{
	return part_text(&unit->source, (struct part){first, end});
}

static unsigned int find(const struct unit *unit, struct part part, unsigned int at,
			 const char *word)
{
	return part_find(&unit->source, part, at, word);
}

static unsigned int offset_of(const struct unit *unit, struct part part, unsigned int at)
{
	return token_of(unit, at < part.end ? at : part.end)->offset;
}

static struct part without_parentheses(const struct unit *unit, struct part part)
{
	return part_inside(&unit->source, part);
}

static bool is_variable(const struct unit *unit, const struct loop *loop, struct part part)
{
	struct token name = {loop->name.from, loop->name.to - loop->name.from, TOKEN_NAME, 0};

	part = without_parentheses(unit, part);
	return part.end == part.first + 1 &&
	       token_same(&unit->source, token_of(unit, part.first), &name);
}

static bool read_start(struct unit *unit, struct loop *loop, struct part part,
		       const struct directive *directive)
{
	unsigned int equals = find(unit, part, part.first, "="), name;

	if (equals == part.end || equals == part.first ||
	    find(unit, part, equals + 1, ",") != part.end) {
		report_error(unit, offset_of(unit, part, part.first),
			     "the loop of 'omp %s' must begin with 'variable = value'",
			     directive_facts[directive->kind].name);
		return false;
	}
	for (name = equals - 1; name > part.first && token_of(unit, name)->kind != TOKEN_NAME;)
		name--;
	loop->name = text_of(unit, name, name + 1);
	if (name > part.first)
		loop->declaration = text_of(unit, part.first, equals);
	loop->first = text_of(unit, equals + 1, part.end);
	loop->variable = tree_lookup(unit, loop->name.from, loop->name.to - loop->name.from,
				     loop->first.from, directive->function);
	if (token_of(unit, name)->kind != TOKEN_NAME || loop->variable == NO_VARIABLE ||
	    !(unit->tree.variables.items[loop->variable].integer ||
	      unit->tree.variables.items[loop->variable].pointer)) {
		report_error(unit, loop->name.from,
			     "the loop variable must be a variable of integer or pointer type");
		return false;
	}
	loop->pointer = unit->tree.variables.items[loop->variable].pointer;
	return true;
}

const struct loop_comparison loop_comparisons[LOOP_COMPARISONS] = {
	{"<", LOOP_LESS, LOOP_GREATER},		{"<=", LOOP_LESS_EQUAL, LOOP_GREATER_EQUAL},
	{">", LOOP_GREATER, LOOP_LESS},		{">=", LOOP_GREATER_EQUAL, LOOP_LESS_EQUAL},
	{"!=", LOOP_NOT_EQUAL, LOOP_NOT_EQUAL},
};

static bool read_condition(struct unit *unit, struct loop *loop, struct part part)
{
	size_t i;

	part = without_parentheses(unit, part);
	for (i = 0; i < LOOP_COMPARISONS; i++) {
		unsigned int at = find(unit, part, part.first, loop_comparisons[i].word);
		struct part left = {part.first, at}, right = {at + 1, part.end};

		if (at >= part.end)
			continue;
		if (is_variable(unit, loop, left)) {
			loop->relation = loop_comparisons[i].relation;
			loop->limit = text_of(unit, right.first, right.end);
			return right.first < right.end;
		}
		if (is_variable(unit, loop, right)) {
			loop->relation = loop_comparisons[i].mirrored;
			loop->limit = text_of(unit, left.first, left.end);
			return left.first < left.end;
		}
	}
	return false;
}

/* `value` after i +=; a constant stays one in the translated loop. */
static void set_step(struct unit *unit, struct loop *loop, struct part part,
		     const struct directive *directive)
{
	loop->step = text_of(unit, part.first, part.end);
	loop->constant_step = constant_value(unit, directive->function, token_of(unit, part.first),
					     part.end - part.first, &loop->step_value);
}

/* i = i + c, i = c + i, i = i - c */
static bool read_assigned_step(struct unit *unit, struct loop *loop, struct part part,
			       const struct directive *directive)
{
	unsigned int at;

	part = without_parentheses(unit, part);
	if (part.end < part.first + 3)
		return false;
	if (is_variable(unit, loop, (struct part){part.first, part.first + 1})) {
		loop->minus = is(unit, part, part.first + 1, "-");
		if (!loop->minus && !is(unit, part, part.first + 1, "+"))
			return false;
		part.first += 2;
		/* i = i - a - b means i -= a + b; only a product or one term is taken */
		if (find(unit, part, part.first + 1, "+") != part.end ||
		    find(unit, part, part.first + 1, "-") != part.end)
			return false;
		set_step(unit, loop, part, directive);
		return true;
	}
	at = part.end - 2;
	if (!is_variable(unit, loop, (struct part){at + 1, part.end}) || !is(unit, part, at, "+"))
		return false;
	set_step(unit, loop, (struct part){part.first, at}, directive);
	return true;
}

static bool read_increment(struct unit *unit, struct loop *loop, struct part part,
			   const struct directive *directive)
{
	struct part name;

	part = without_parentheses(unit, part);
	name = (struct part){part.first, part.first + 1};
	if (part.end < part.first + 2)
		return false;
	if (is(unit, part, part.end - 1, "++") || is(unit, part, part.end - 1, "--")) {
		loop->minus = is(unit, part, part.end - 1, "--");
		return is_variable(unit, loop, (struct part){part.first, part.end - 1});
	}
	if (is(unit, part, part.first, "++") || is(unit, part, part.first, "--")) {
		loop->minus = is(unit, part, part.first, "--");
		return is_variable(unit, loop, (struct part){part.first + 1, part.end});
	}
	if (!is_variable(unit, loop, name) || part.end < part.first + 3)
		return false;
	if (is(unit, part, part.first + 1, "="))
		return read_assigned_step(unit, loop, (struct part){part.first + 2, part.end},
					  directive);
	loop->minus = is(unit, part, part.first + 1, "-=");
	if (!loop->minus && !is(unit, part, part.first + 1, "+="))
		return false;
	set_step(unit, loop, (struct part){part.first + 2, part.end}, directive);
	return true;
}

/* The constant by which the variable grows, or 0. */
static long step_of(const struct loop *loop)
{
	if (!loop->step.to)
		return loop->minus ? -1 : 1;
	if (!loop->constant_step)
		return 0;
	return loop->minus ? (long)-(unsigned long)loop->step_value : loop->step_value;
}

bool loop_relation_ascends(enum loop_relation relation, bool minus)
{
	if (relation == LOOP_NOT_EQUAL)
		return !minus;
	return relation == LOOP_LESS || relation == LOOP_LESS_EQUAL;
}

bool loop_ascends(const struct loop *loop)
{
	return loop_relation_ascends(loop->relation, loop->minus); /* check_step() normalises it */
}

/* The number that RANGE is, if it is a plain one with at most a sign before it. */
static bool read_number(const struct unit *unit, struct range range, long *number)
{
	char *text = format_text("%.*s", (int)(range.to - range.from),
				 unit->source.text.data + range.from),
	     *end;
	bool plain;

	errno = 0;
	*number = strtol(text, &end, 0);
	plain = end != text && !*end && !errno;
	memory_free(text);
	return plain;
}

/* Whether both bounds are numbers that leave no iteration: then no step can lead away. */
static bool never_runs(const struct unit *unit, const struct loop *loop)
{
	long first, limit;

	if (!read_number(unit, loop->first, &first) || !read_number(unit, loop->limit, &limit))
		return false;
	return loop->relation == LOOP_LESS	   ? first >= limit
	       : loop->relation == LOOP_LESS_EQUAL ? first > limit
	       : loop->relation == LOOP_GREATER	   ? first <= limit
						   : first < limit;
}

static bool check_step(struct unit *unit, struct loop *loop, unsigned int offset)
{
	long step = step_of(loop);

	if (loop->constant_step && !step) {
		report_error(unit, offset, "the step of the loop is 0");
		return false;
	}
	if (loop->relation == LOOP_NOT_EQUAL) {
		if (step != 1 && step != -1) {
			report_error(unit, offset,
				     "with '!=' the step of the loop must be 1 or -1");
			return false;
		}
		loop->minus = step < 0;
		loop->step = (struct range){0, 0};
	} else if (step && (step > 0) != loop_ascends(loop) && !never_runs(unit, loop)) {
		report_error(unit, offset, "the step leads away from the limit of the loop");
		return false;
	}
	return true;
}

/* Reads the header whose "for" is at token AT. */
static bool read_loop(struct unit *unit, struct loop *loop, unsigned int at,
		      const struct directive *directive)
{
	unsigned int close = token_of(unit, at + 1)->match;
	struct part all = {at + 2, close}, start, condition, increment;

	if (close == NO_MATCH)
		return false; /* the compiler will say so */
	start = (struct part){all.first, find(unit, all, all.first, ";")};
	condition = (struct part){start.end + 1, find(unit, all, start.end + 1, ";")};
	increment = (struct part){condition.end + 1, close};
	loop->header = text_of(unit, at, close + 1);
	if (!read_start(unit, loop, start, directive))
		return false;
	if (condition.end > close || !read_condition(unit, loop, condition)) {
		report_error(unit, offset_of(unit, condition, condition.first),
			     "the loop of 'omp %s' must compare its variable with a limit by "
			     "< <= > >= or !=",
			     directive_facts[directive->kind].name);
		return false;
	}
	if (increment.end < increment.first || !read_increment(unit, loop, increment, directive)) {
		report_error(unit, offset_of(unit, increment, increment.first),
			     "the loop of 'omp %s' must step its variable by ++ -- += -= or "
			     "variable = variable + step",
			     directive_facts[directive->kind].name);
		return false;
	}
	return check_step(unit, loop, offset_of(unit, increment, increment.first));
}

/* Whether the text of RANGE names the variable of LOOP. */
static bool mentions(const struct unit *unit, struct range range, const struct loop *loop,
		     unsigned int *offset)
{
	const struct tree *tree = &unit->tree;
	size_t i;

	for (i = tree_reference_at(tree, range.from);
	     i < tree->references.count && tree->references.items[i].offset < range.to; i++)
		if (tree->references.items[i].variable == loop->variable) {
			*offset = tree->references.items[i].offset;
			return true;
		}
	return false;
}

static bool check_rectangular(struct unit *unit, const struct directive *directive)
{
	unsigned int outer, inner, offset;

	for (inner = 0; inner < directive->loop_count; inner++)
		for (outer = 0; outer <= inner; outer++) {
			const struct loop *one = &directive->loops[outer];
			const struct loop *loop = &directive->loops[inner];

			if (!mentions(unit, loop->first, one, &offset) &&
			    !mentions(unit, loop->limit, one, &offset) &&
			    !mentions(unit, loop->step, one, &offset))
				continue;
			if (outer == inner && mentions(unit, loop->first, one, &offset) &&
			    offset < loop->first.to && !loop->declaration.to)
				return true; /* for (i = i; ...): read before the loop */
			report_error(
				unit, offset,
				outer == inner
					? "the limit or step of the loop cannot use the loop "
					  "variable"
					: "the bounds of a collapsed loop cannot depend on the "
					  "loops around it");
			return false;
		}
	return true;
}

/* The loop that is all there is in the statement at node AT, or NO_STATEMENT. */
static int only_loop(const struct unit *unit, int at)
{
	const struct statement *list = unit->statements.items;

	at = after_transformations(unit, at);
	while (at != NO_STATEMENT && list[at].kind == STATEMENT_COMPOUND &&
	       list[at].child != NO_STATEMENT && list[list[at].child].next == NO_STATEMENT)
		at = after_transformations(unit, list[at].child);
	return at != NO_STATEMENT && list[at].kind == STATEMENT_FOR ? at : NO_STATEMENT;
}

static void read_nest(struct unit *unit, struct directive *directive)
{
	const struct clause *collapse = directive_clause(directive, CLAUSE_COLLAPSE);
	unsigned int count = collapse ? (unsigned int)collapse->number : 1;
	const struct statement *list = unit->statements.items;
	int at = after_transformations(unit, list[directive->statement].child);

	directive->loops = calloc(count, sizeof *directive->loops);
	if (!directive->loops) {
		report_error(unit, directive->offset, "out of memory");
		return;
	}
	while (directive->loop_count < count) {
		struct loop *loop = &directive->loops[directive->loop_count];
		int inner = directive->loop_count ? only_loop(unit, at) : at;

		if (inner == NO_STATEMENT) {
			report_error(unit, token_of(unit, list[at].first)->offset,
				     "collapse(%u) needs %u loops with nothing between them", count,
				     count);
			return;
		}
		loop->statement = inner;
		if (!read_loop(unit, loop, list[inner].first, directive))
			return;
		directive->loop_count++;
		at = list[inner].child;
		loop->body = text_of(unit, list[at].first, list[at].end);
	}
	if (directive->kind != DIRECTIVE_SIMD || directive->device) /* else it runs as it stands */
		check_rectangular(unit, directive);
}

void loops_read(struct unit *unit)
{
	size_t i;

	for (i = 0; i < unit->directives.list.count; i++) {
		struct directive *directive = &unit->directives.list.items[i];

		if (directive_is(directive->kind, IS_LOOP) ||
		    directive->kind == DIRECTIVE_TASKLOOP || directive->kind == DIRECTIVE_SIMD)
			read_nest(unit, directive);
	}
}
