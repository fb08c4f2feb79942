/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * loop_text.c - the loop over LEFT..RIGHT.
 *
 * The body runs in `do BODY while (i < cape_last && (i++, 1));`, or with `!=`, where cape_last is
 * the value in the chunk's last iteration.  So the user's own variable is the one induction
 * variable, which compilers vectorise like the user's loop; it never steps beyond the last value,
 * which would overflow at the end of its type; and `continue` goes where it should.
 */
#include "loop_text.h"

#include <stdio.h>
#include <string.h>

#include "shadow.h"
#include "model/replicable.h"
#include "read/construct.h"
#include "read/directive_facts.h"
#include "check/calls.h"
#include "check/sharing.h"
#include "check/loop.h"
#include "read/unit.h"

/* One loop of the nest and the ending that its names get: "" or "_1", "_2" in a nest. */
struct level {
	const struct unit *unit;
	const struct loop *loop;
	char ending[16];
};

static struct level level_of(const struct unit *unit, const struct directive *directive,
			     unsigned int index)
{
	struct level level = {unit, &directive->loops[index], ""};

	if (directive->loop_count > 1)
		snprintf(level.ending, sizeof level.ending, "_%u", index + 1);
	return level;
}

static void write_range(const struct unit *unit, struct text *text, struct range range)
{
	source_copy(&unit->source, range, text);
}

static void write_name(const struct level *level, struct text *text)
{
	write_range(level->unit, text, level->loop->name);
}

/* Declares NAME as the loop variable is declared. */
static void write_declaration(const struct level *level, struct text *text, const char *name)
{
	const struct loop *loop = level->loop;

	if (!loop->declaration.to) {
		text_print(text, "__typeof__(");
		write_name(level, text);
		text_print(text, ") %s%s", name, level->ending);
		return;
	}
	write_range(level->unit, text, (struct range){loop->declaration.from, loop->name.from});
	text_print(text, "%s%s", name, level->ending);
	write_range(level->unit, text, (struct range){loop->name.to, loop->declaration.to});
}

static bool has_step(const struct loop *loop)
{
	return loop->step.to && !loop->constant_step;
}

/* The step as the source has it: "1", a number, or cape_step. */
static void write_step(const struct level *level, struct text *text)
{
	if (!level->loop->step.to) {
		text_print(text, "1");
	} else if (level->loop->constant_step) {
		text_print(text, "(");
		write_range(level->unit, text, level->loop->step);
		text_print(text, ")");
	} else {
		text_print(text, "cape_step%s", level->ending);
	}
}

void loop_write_step(const struct unit *unit, const struct directive *directive, struct text *text)
{
	struct level level = level_of(unit, directive, directive->loop_count - 1);

	write_step(&level, text);
}

const char *loop_trips(enum loop_relation relation, bool minus)
{
	static const char *const endings[] = {
		[LOOP_LESS] = "LT",	     [LOOP_LESS_EQUAL] = "LE",	 [LOOP_GREATER] = "GT",
		[LOOP_GREATER_EQUAL] = "GE", [LOOP_NOT_EQUAL] = "NE_UP",
	};

	return relation == LOOP_NOT_EQUAL && minus ? "NE_DOWN" : endings[relation];
}

static void write_trips(const struct level *level, struct text *text)
{
	const struct loop *loop = level->loop;

	text_print(text, "CAPE_TRIPS_%s(", loop_trips(loop->relation, loop->minus));
	if (!loop->pointer)
		text_print(text, "(__typeof__(cape_limit%s))", level->ending);
	text_print(text, "cape_first%s, cape_limit%s, ", level->ending, level->ending);
	if (loop_ascends(loop) == loop->minus && loop->step.to)
		text_print(text, "-");
	write_step(level, text);
	text_print(text, ")");
}

static bool is_plain_number(const struct level *level, struct range range)
{
	const struct source *source = &level->unit->source;
	const struct token *token = &source->tokens.items[source_token_at(source, range.from)];

	return token->kind == TOKEN_NUMBER && token_end(token) == range.to;
}

static void write_bounds(const struct level *level, struct text *text)
{
	const struct loop *loop = level->loop;

	text_print(text, "\t");
	write_declaration(level, text, "cape_first");
	text_print(text, " = ");
	write_range(level->unit, text, loop->first);
	text_print(text, ";\n\t__typeof__(cape_first%s", level->ending);
	if (!loop->pointer) {
		text_print(text, " + (");
		write_range(level->unit, text, loop->limit);
		text_print(text, ")");
	}
	text_print(text, ") cape_limit%s = ", level->ending);
	write_range(level->unit, text, loop->limit);
	text_print(text, ";\n");
	if (!loop->pointer && !is_plain_number(level, loop->limit))
		text_print(text,
			   "\t_Static_assert((__typeof__(cape_limit%s))0.5 == 0, "
			   "\"the limit of an OpenMP loop must be an integer\");\n",
			   level->ending);
	if (has_step(loop)) {
		if (loop->pointer)
			text_print(text, "\tlong cape_step%s = ", level->ending);
		else
			text_print(text,
				   "\t__typeof__(cape_first%s + 0) cape_step%s = ", level->ending,
				   level->ending);
		write_range(level->unit, text, loop->step);
		text_print(text, ";\n");
	}
}

/* Whether a call tells the same in sequential code as in a region. */
static bool is_same_outside(void *context, unsigned int name)
{
	const struct source *source = context;
	const struct token *token = &source->tokens.items[name];

	return calls_only_computes(source, name) &&
	       strncmp(source->text.data + token->offset, "omp_", 4) != 0;
}

static bool asks_in(struct unit *unit, struct range range)
{
	const struct source *source = &unit->source;
	struct part part = {source_token_at(source, range.from), source_token_at(source, range.to)};

	return range.to > range.from && !calls_all(unit, part, is_same_outside, &unit->source);
}

bool loop_counts_inside(struct unit *unit, const struct directive *directive)
{
	const struct clause *schedule = directive_clause(directive, CLAUSE_SCHEDULE);
	unsigned int i;

	if (!directive_is(directive->kind, IS_PARALLEL) || !directive_is(directive->kind, IS_LOOP))
		return false;
	for (i = 0; i < directive->loop_count; i++) {
		const struct loop *loop = &directive->loops[i];

		if (asks_in(unit, loop->first) || asks_in(unit, loop->limit) ||
		    asks_in(unit, loop->step))
			return true;
	}
	/* A directive's line has no tokens: any bracket may be a call's. */
	return schedule && memchr(unit->source.text.data + schedule->argument.from, '(',
				  schedule->argument.to - schedule->argument.from);
}

void loop_write_trips(const struct unit *unit, const struct directive *directive, struct text *text)
{
	unsigned int i, count = directive->loop_count;

	for (i = 0; i < count; i++) {
		struct level level = level_of(unit, directive, i);

		write_bounds(&level, text);
		text_print(text, "\tunsigned long cape_trips%s = ", level.ending);
		write_trips(&level, text);
		text_print(text, ";\n");
	}
	if (count == 1)
		return;
	text_print(text, "\tunsigned long cape_trips = cape_trips_1");
	for (i = 1; i < count; i++)
		text_print(text, " * cape_trips_%u", i + 1);
	text_print(text, ";\n");
}

static bool is_listed(const struct directive *directive, const struct loop *loop)
{
	for (size_t i = 0; i < directive->clauses.count; i++) {
		const struct clause *clause = &directive->clauses.items[i];

		for (size_t j = 0; clause->kind != CLAUSE_SHARED && j < clause->items.count; j++)
			if (clause->items.items[j].variable == loop->variable)
				return true;
	}
	return false;
}

void loop_write_variables(const struct unit *unit, const struct directive *directive,
			  struct text *text, unsigned int depth, bool all)
{
	for (unsigned int i = 0; i < directive->loop_count; i++) {
		const struct loop *loop = &directive->loops[i];

		if (!loop->declaration.to && (all || !is_listed(directive, loop))) {
			const char *name = unit->source.text.data + loop->name.from;
			int length = (int)(loop->name.to - loop->name.from);

			indent(text, depth);
			text_print(text, "__typeof__(%.*s) %.*s;\n", length, name, length, name);
		}
	}
}

void loop_write_given(const struct unit *unit, const struct directive *directive, struct text *text)
{
	unsigned int i;

	text_print(text, "cape_left, cape_right, cape_trips");
	for (i = 0; i < directive->loop_count; i++) {
		struct level level = level_of(unit, directive, i);

		text_print(text, ", cape_first%s", level.ending);
		if (directive->loop_count > 1)
			text_print(text, ", cape_trips%s", level.ending);
		if (has_step(level.loop))
			text_print(text, ", cape_step%s", level.ending);
	}
}

unsigned int loop_write_bounds(const struct unit *unit, const struct directive *directive,
			       struct text *text)
{
	unsigned int values = 0;

	for (unsigned int i = 0; i < directive->loop_count; i++) {
		struct level level = level_of(unit, directive, i);

		if (!is_plain_number(&level, level.loop->first)) {
			text_print(text, ", (long)cape_first%s", level.ending);
			values++;
		}
		if (directive->loop_count > 1) {
			text_print(text, ", cape_trips%s", level.ending);
			values++;
		}
		if (has_step(level.loop)) {
			text_print(text, ", (long)cape_step%s", level.ending);
			values++;
		}
	}
	return values;
}

/* `cape_first + COUNT * step`, COUNT an expression of type unsigned long. */
static void write_value(const struct level *level, struct text *text, const char *count)
{
	text_print(text, "cape_first%s %c %s", level->ending, level->loop->minus ? '-' : '+',
		   count);
	if (level->loop->step.to) {
		text_print(text, " * ");
		write_step(level, text);
	}
}

static void write_assignment(const struct level *level, struct text *text, const char *count)
{
	if (level->loop->declaration.to)
		write_range(level->unit, text, level->loop->declaration);
	else
		write_name(level, text);
	text_print(text, " = ");
	write_value(level, text, count);
	text_print(text, ";\n");
}

/* The indices of the chunk's first iteration, and the run of the innermost loop from there. */
static void write_nest_start(const struct unit *unit, const struct directive *directive,
			     struct text *text, unsigned int *depth)
{
	unsigned int i, count = directive->loop_count;

	indent(text, *depth);
	text_print(text, "unsigned long cape_count = cape_right - cape_left, cape_run;\n");
	for (i = count; i-- > 0;) {
		indent(text, *depth);
		text_print(text, "unsigned long cape_index_%u = cape_left %s cape_trips_%u;\n",
			   i + 1, "%", i + 1);
		if (i) {
			indent(text, *depth);
			text_print(text, "cape_left /= cape_trips_%u;\n", i + 1);
		}
	}
	indent(text, *depth);
	text_print(text, "for (; cape_count; cape_count -= cape_run) {\n");
	++*depth;
	indent(text, *depth);
	text_print(text, "cape_run = cape_trips_%u - cape_index_%u;\n", count, count);
	indent(text, *depth);
	text_print(text, "if (cape_run > cape_count)\n");
	indent(text, *depth + 1);
	text_print(text, "cape_run = cape_count;\n");
	for (i = 0; i < count; i++) {
		struct level level = level_of(unit, directive, i);
		char index[24];

		snprintf(index, sizeof index, "cape_index_%u", i + 1);
		indent(text, *depth);
		write_assignment(&level, text, index);
	}
}

static bool has_linear(const struct directive *directive)
{
	size_t i;

	for (i = 0; i < directive->clauses.count; i++)
		if (directive->clauses.items[i].linear)
			return true;
	return false;
}

/* A line for each linear variable: FORMAT, with its name for each @. */
static void write_linear(const struct unit *unit, const struct directive *directive,
			 struct text *text, unsigned int depth, const char *format)
{
	size_t i, j;

	for (i = 0; i < directive->clauses.count; i++) {
		const struct clause *clause = &directive->clauses.items[i];

		for (j = 0; j < clause->items.count; j++) {
			const struct item *item = &clause->items.items[j];
			const char *name = unit->source.text.data + item->offset;
			const char *at = format, *mark;

			if (!sharing_is_linear(directive, clause, item))
				continue;
			indent(text, depth);
			for (; (mark = strchr(at, '@')); at = mark + 1)
				text_print(text, "%.*s%.*s", (int)(mark - at), at,
					   (int)item->length, name);
			text_print(text, "%s\n", at);
		}
	}
}

void loop_write_chunk(const struct unit *unit, const struct directive *directive, struct text *text,
		      unsigned int *depth)
{
	indent(text, *depth);
	text_print(text, "unsigned long cape_left, cape_right;\n");
	if (unit->tells_plans && replicable_by_threads(unit, directive)) {
		shadow_write_chunk_of_threads(unit, directive, text, *depth);
	} else {
		indent(text, *depth);
		text_print(text, "while (cape_chunk(&cape_left, &cape_right)) {\n");
	}
	++*depth;
	loop_write_part(unit, directive, text, depth);
}

void loop_write_part(const struct unit *unit, const struct directive *directive, struct text *text,
		     unsigned int *depth)
{
	unsigned int count = directive->loop_count;
	struct level innermost = level_of(unit, directive, count - 1);
	char last[64] = "(cape_right - 1)";

	if (directive_clause(directive, CLAUSE_ORDERED)) {
		indent(text, *depth);
		text_print(text, "unsigned long cape_number = cape_left;\n");
	}
	write_linear(unit, directive, text, *depth,
		     "cape_next_@ = cape_value_@ + (long)(cape_left * cape_step_of_@);");
	if (count > 1) {
		write_nest_start(unit, directive, text, depth);
		snprintf(last, sizeof last, "(cape_index_%u + cape_run - 1)", count);
	} else {
		indent(text, *depth);
		write_assignment(&innermost, text, "cape_left");
	}
	indent(text, *depth);
	innermost.ending[0] = '\0';
	write_declaration(&innermost, text, "cape_last");
	innermost = level_of(unit, directive, count - 1);
	text_print(text, " = ");
	write_value(&innermost, text, last);
	text_print(text, ";\n");
}

/* Whether something is to be done before each iteration. */
static bool has_prologue(const struct directive *directive)
{
	return directive_clause(directive, CLAUSE_ORDERED) || has_linear(directive);
}

void loop_replace_header(struct unit *unit, const struct directive *directive, unsigned int depth)
{
	const struct loop *innermost = &directive->loops[directive->loop_count - 1];
	struct text text = {0};

	indent(&text, depth);
	text_print(&text, has_prologue(directive) ? "do {\n" : "do\n");
	if (directive_clause(directive, CLAUSE_ORDERED)) {
		indent(&text, depth + 1);
		text_print(&text, "cape_iteration(cape_number++);\n");
	}
	write_linear(unit, directive, &text, depth + 1,
		     "@ = cape_next_@, cape_next_@ += cape_step_of_@;");
	edit_replace(&unit->source, directive->loops[0].header.from, innermost->header.to,
		     construct_near(unit, directive), text.data);
}

void loop_close(struct unit *unit, const struct directive *directive, char *text)
{
	const struct loop *innermost = &directive->loops[directive->loop_count - 1];

	edit_after(&unit->source, directive->offset, construct_near(unit, directive),
		   (struct range){innermost->body.to, directive->body.to}, text);
}

/* Moves the indices on to the row that follows, from the innermost loop outwards. */
void loop_write_next_row(const struct directive *directive, struct text *text, unsigned int depth)
{
	unsigned int i, count = directive->loop_count;

	if (count == 1)
		return;
	indent(text, depth);
	text_print(text, "cape_index_%u = 0;\n", count);
	for (i = count - 1; i > 0; i--) {
		indent(text, depth);
		if (i > 1)
			text_print(text, "if (++cape_index_%u == cape_trips_%u) {\n", i, i);
		else
			text_print(text, "cape_index_1++;\n");
		if (i > 1) {
			depth++;
			indent(text, depth);
			text_print(text, "cape_index_%u = 0;\n", i);
		}
	}
	for (i = count; i > 2; i--) {
		depth--;
		indent(text, depth);
		text_print(text, "}\n");
	}
}

/*
 * The operator that holds until the last value is reached.  By "!=" the compiler needs no value of
 * before the step, which of an address, or of an integer that becomes one, it would keep; narrower
 * integers, which are widened, it must know not to wrap.
 */
static const char *relation_to_last(const struct level *level)
{
	const struct loop *loop = level->loop;

	if (!loop->step.to &&
	    (loop->pointer || level->unit->tree.variables.items[loop->variable].is_word))
		return "!=";
	return loop_ascends(loop) ? "<" : ">";
}

void loop_write_next(const struct unit *unit, const struct directive *directive, struct text *text,
		     unsigned int *depth, unsigned int to_depth)
{
	struct level innermost = level_of(unit, directive, directive->loop_count - 1);
	const struct loop *loop = innermost.loop;

	indent(text, *depth);
	text_print(text, has_prologue(directive) ? "} while (" : "while (");
	write_name(&innermost, text);
	text_print(text, " %s cape_last && (", relation_to_last(&innermost));
	write_name(&innermost, text);
	if (loop->step.to) {
		text_print(text, " %c= ", loop->minus ? '-' : '+');
		write_step(&innermost, text);
	} else {
		text_print(text, loop->minus ? "--" : "++");
	}
	text_print(text, ", 1));\n");
	loop_write_next_row(directive, text, *depth);
	while (*depth > to_depth) {
		--*depth;
		indent(text, *depth);
		text_print(text, "}\n");
	}
}

void loop_write_last(const struct unit *unit, const struct directive *directive, struct text *text,
		     unsigned int depth)
{
	unsigned int i;

	for (i = 0; i < directive->loop_count; i++) {
		struct level level = level_of(unit, directive, i);
		char trips[32];

		if (sharing_of(directive, level.loop->variable) != SHARING_LASTPRIVATE)
			continue;
		snprintf(trips, sizeof trips, "cape_trips%s", level.ending);
		indent(text, depth);
		text_print(text, "if (%s)\n", shadow_last(directive));
		indent(text, depth + 1);
		text_print(text, "*cape_original_");
		write_name(&level, text);
		text_print(text, " = ");
		write_value(&level, text, trips);
		text_print(text, ";\n");
	}
}
