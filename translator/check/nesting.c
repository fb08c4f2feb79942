/* SPDX-License-Identifier: GPL-2.0-or-later */
/* nesting.c - constructs inside constructs, jumps across them. */
#include "nesting.h"

#include <string.h>

#include "bind.h"
#include "read/directive_facts.h"
#include "read/report.h"
#include "read/unit.h"

static struct directive *directive_at(const struct unit *unit, int index)
{
	return &unit->directives.list.items[index];
}

static const struct token *first_token(const struct unit *unit, const struct statement *statement)
{
	return &unit->source.tokens.items[statement->first];
}

/* 2.10: why KIND cannot be closely nested in OUTER, or NULL. */
static const char *why_not_inside(enum directive_kind kind, enum directive_kind outer)
{
	if ((directive_is(kind, IS_WORKSHARING) && !directive_is(kind, IS_PARALLEL) &&
	     kind != DIRECTIVE_SECTION) ||
	    kind == DIRECTIVE_SCOPE || kind == DIRECTIVE_BARRIER)
		return directive_is(outer, IS_EXCLUSIVE)
			       ? "not all threads of the team would reach it"
			       : NULL;
	if (kind == DIRECTIVE_MASTER)
		return directive_is(outer, IS_WORKSHARING) || directive_is(outer, IS_TASK)
			       ? "the master might not reach it"
			       : NULL;
	if (kind == DIRECTIVE_ORDERED)
		return directive_is(outer, HAS_NO_TURNS) ? "its turn might never come" : NULL;
	return NULL;
}

static void check_closely_nested(struct unit *unit, const struct directive *directive)
{
	int outer;

	for (outer = directive->parent; outer >= 0; outer = directive_at(unit, outer)->parent) {
		enum directive_kind kind = directive_at(unit, outer)->kind;
		bool master = directive_at(unit, outer)->master;
		const char *reason =
			why_not_inside(directive->kind, master ? DIRECTIVE_MASTER : kind);

		if (reason) {
			report_error(unit, directive->name,
				     "'omp %s' is not allowed directly inside 'omp %s': %s",
				     directive_facts[directive->kind].name,
				     directive_facts[kind].name, reason);
			return;
		}
		if (directive_is(kind, IS_PARALLEL))
			return;
	}
}

/* The loop that an ordered construct binds to must say so; an orphan's cannot be seen here. */
static void check_ordered(struct unit *unit, const struct directive *directive)
{
	int outer;

	for (outer = directive->parent; outer >= 0; outer = directive_at(unit, outer)->parent) {
		const struct directive *loop = directive_at(unit, outer);

		if (directive_is(loop->kind, IS_LOOP) && directive_clause(loop, CLAUSE_ORDERED))
			return;
		if (directive_is(loop->kind, IS_LOOP) || loop->kind == DIRECTIVE_PARALLEL) {
			report_error(unit, directive->name,
				     "'omp ordered' needs a loop construct with the clause "
				     "'ordered' around it");
			return;
		}
	}
}

static bool same_name(const struct unit *unit, struct range one, struct range other)
{
	const char *text = unit->source.text.data;

	return one.to - one.from == other.to - other.from &&
	       !memcmp(text + one.from, text + other.from, one.to - one.from);
}

static void check_critical(struct unit *unit, const struct directive *directive)
{
	int outer;

	for (outer = directive->parent; outer >= 0; outer = directive_at(unit, outer)->parent) {
		const struct directive *other = directive_at(unit, outer);

		if (other->kind != DIRECTIVE_CRITICAL ||
		    !same_name(unit, directive->argument, other->argument))
			continue;
		report_error(unit, directive->name,
			     "'omp critical' is not allowed inside another one of the same name: "
			     "it would wait for itself");
		return;
	}
}

static void check_section(struct unit *unit, const struct directive *directive)
{
	const struct statement *list = unit->statements.items;
	int compound = list[directive->statement].parent;
	int outer = compound == NO_STATEMENT ? NO_STATEMENT : list[compound].parent;

	if (outer != NO_STATEMENT && list[compound].kind == STATEMENT_COMPOUND &&
	    list[outer].kind == STATEMENT_DIRECTIVE &&
	    directive_is(directive_at(unit, list[outer].directive)->kind, IS_SECTIONS))
		return;
	report_error(unit, directive->name,
		     "'omp section' must be directly in the braces of 'omp sections'");
}

static void check_body(struct unit *unit, const struct directive *directive)
{
	const struct statement *list = unit->statements.items;
	const struct statement *body =
		&list[after_transformations(unit, list[directive->statement].child)];

	if (directive_is(directive->kind, IS_SECTIONS) && body->kind != STATEMENT_COMPOUND)
		report_error(unit, directive->body.from, "'omp %s' needs a block in braces",
			     directive_facts[directive->kind].name);
	if (directive_is(directive->kind, IS_SECTIONS) && body->kind == STATEMENT_COMPOUND &&
	    body->child == NO_STATEMENT)
		report_error(unit, directive->body.from, "'omp %s' has no section",
			     directive_facts[directive->kind].name);
	if ((directive_is(directive->kind, IS_LOOP) || directive->kind == DIRECTIVE_SIMD ||
	     directive->kind == DIRECTIVE_TASKLOOP || directive->transforms) &&
	    body->kind != STATEMENT_FOR)
		report_error(unit, directive->body.from, "'omp %s' needs a for loop after it",
			     directive_facts[directive->kind].name);
}

static void check_directive(struct unit *unit, const struct directive *directive)
{
	if (directive->function < 0)
		return;
	check_closely_nested(unit, directive);
	if (directive->kind == DIRECTIVE_ORDERED)
		check_ordered(unit, directive);
	else if (directive->kind == DIRECTIVE_CRITICAL)
		check_critical(unit, directive);
	else if (directive->kind == DIRECTIVE_SECTION)
		check_section(unit, directive);
	if (directive_is(directive->kind, HAS_BODY))
		check_body(unit, directive);
}

/* Marks the loops that belong to a loop construct, so that jumps can tell them. */
static void mark_loops(struct unit *unit, const struct directive *directive)
{
	struct statement *list = unit->statements.items;
	const struct clause *collapse = directive_clause(directive, CLAUSE_COLLAPSE);
	unsigned long left = collapse ? collapse->number : 1;
	int at = list[directive->statement].child;

	for (; left && at != NO_STATEMENT; left--) {
		at = after_transformations(unit, at);
		while (at != NO_STATEMENT && list[at].kind == STATEMENT_COMPOUND)
			at = after_transformations(unit, list[at].child);
		if (at == NO_STATEMENT || list[at].kind != STATEMENT_FOR)
			return;
		list[at].shared_out = true;
		at = list[at].child;
	}
}

/* The loop (or switch, for a break) that a jump leaves or continues; or the directive between. */
static int jump_target(const struct unit *unit, const struct statement *jump)
{
	const struct statement *list = unit->statements.items;
	int at;

	for (at = jump->parent; at != NO_STATEMENT; at = list[at].parent) {
		enum statement_kind kind = list[at].kind;

		if (kind == STATEMENT_FOR || kind == STATEMENT_LOOP ||
		    (kind == STATEMENT_SWITCH && jump->kind == STATEMENT_BREAK))
			return at;
		if (kind == STATEMENT_DIRECTIVE)
			return at;
	}
	return NO_STATEMENT;
}

static void check_loop_jump(struct unit *unit, const struct statement *jump)
{
	const struct statement *list = unit->statements.items;
	const char *word = jump->kind == STATEMENT_BREAK ? "break" : "continue";
	unsigned int offset = first_token(unit, jump)->offset;
	int target = jump_target(unit, jump);

	if (target == NO_STATEMENT)
		return;
	if (list[target].kind == STATEMENT_DIRECTIVE) {
		report_error(
			unit, offset, "'%s' leads out of the block of 'omp %s'", word,
			directive_facts[directive_at(unit, list[target].directive)->kind].name);
	} else if (list[target].shared_out && jump->kind == STATEMENT_BREAK) {
		const struct directive *directive = directive_at(unit, list[target].construct);

		report_error(unit, offset,
			     "'break' leaves the loop of 'omp %s', whose iterations are "
			     "distributed beforehand",
			     directive_facts[directive->kind].name);
	}
}

static void check_case(struct unit *unit, const struct statement *label)
{
	const struct statement *list = unit->statements.items;
	int at;

	for (at = label->parent; at != NO_STATEMENT; at = list[at].parent)
		if (list[at].kind == STATEMENT_SWITCH) {
			if (list[at].construct != label->construct)
				report_error(
					unit, first_token(unit, label)->offset,
					"this label leads into the block of 'omp %s'",
					directive_facts[directive_at(unit, label->construct)->kind]
						.name);
			return;
		}
}

static void check_return(struct unit *unit, const struct statement *jump)
{
	if (jump->construct >= 0)
		report_error(unit, first_token(unit, jump)->offset,
			     "'return' leads out of the block of 'omp %s'",
			     directive_facts[directive_at(unit, jump->construct)->kind].name);
}

/* Whether CONSTRUCT is, or stands inside, OTHER. */
static bool is_inside(const struct unit *unit, int construct, int other)
{
	while (construct >= 0 && construct != other)
		construct = directive_at(unit, construct)->parent;
	return construct == other;
}

static void check_goto(struct unit *unit, const struct statement *jump, size_t first, size_t end)
{
	const struct token *name = first_token(unit, jump) + 1;
	size_t i;

	if (token_is(&unit->source, name, "*")) {
		if (jump->construct >= 0)
			report_error(unit, name->offset,
				     "a computed goto is not allowed in a block of OpenMP: it "
				     "could lead out of the block");
		return;
	}
	for (i = first; i < end; i++) {
		const struct statement *label = &unit->statements.items[i];
		bool out;

		if (label->kind != STATEMENT_LABEL ||
		    !token_same(&unit->source, first_token(unit, label), name))
			continue;
		if (label->construct == jump->construct)
			return;
		out = !is_inside(unit, label->construct, jump->construct);
		report_error(
			unit, first_token(unit, jump)->offset,
			"'goto %.*s' leads %s the block of 'omp %s'", (int)name->length,
			unit->source.text.data + name->offset, out ? "out of" : "into",
			directive_facts[directive_at(unit, out ? jump->construct : label->construct)
						->kind]
				.name);
		return;
	}
}

static void check_jump(struct unit *unit, const struct statement *statement, size_t first,
		       size_t end)
{
	switch (statement->kind) {
	case STATEMENT_BREAK:
	case STATEMENT_CONTINUE:
		check_loop_jump(unit, statement);
		break;
	case STATEMENT_CASE:
		check_case(unit, statement);
		break;
	case STATEMENT_RETURN:
		check_return(unit, statement);
		break;
	case STATEMENT_GOTO:
		check_goto(unit, statement, first, end);
		break;
	default:
		break;
	}
}

void check_nesting(struct unit *unit)
{
	size_t i, first = 0, end;

	for (i = 0; i < unit->directives.list.count; i++) {
		const struct directive *directive = directive_at(unit, (int)i);

		check_directive(unit, directive);
		if ((directive_is(directive->kind, IS_LOOP) ||
		     directive->kind == DIRECTIVE_TASKLOOP) &&
		    directive->function >= 0)
			mark_loops(unit, directive);
	}
	for (; first < unit->statements.count; first = end) {
		end = first + 1; /* a function's body is the only statement without a parent */
		while (end < unit->statements.count &&
		       unit->statements.items[end].parent != NO_STATEMENT)
			end++;
		for (i = first; i < end; i++)
			check_jump(unit, &unit->statements.items[i], first, end);
	}
}
