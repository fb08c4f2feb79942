/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bind.c - reads the statements of every function that has directives. */
#include "bind.h"

#include "nesting.h"
#include "read/directive_facts.h"
#include "read/report.h"
#include "read/unit.h"

struct binder {
	struct unit *unit;
	int function;
	unsigned int end; /* token after the function's body */
	bool failed;
};

static const struct token *token_of(const struct binder *binder, unsigned int at)
{
	return &binder->unit->source.tokens.items[at];
}

static bool is(const struct binder *binder, unsigned int at, const char *word)
{
	return at < binder->end && token_is(&binder->unit->source, token_of(binder, at), word);
}

/* The token after the bracket that opens at AT. */
static unsigned int after_bracket(const struct binder *binder, unsigned int at)
{
	if (at >= binder->end || token_of(binder, at)->match == NO_MATCH ||
	    token_of(binder, at)->match < at)
		return at < binder->end ? at + 1 : binder->end;
	return token_of(binder, at)->match + 1;
}

/* Where a new statement goes: a child of PARENT after LAST (or NO_STATEMENT). */
struct position {
	int parent;
	int last;
	int construct;
};

static int add_statement(struct binder *binder, struct position *position, enum statement_kind kind,
			 unsigned int first)
{
	statement_list *list = &binder->unit->statements;
	int index = (int)list->count;
	struct statement *statement = list_add(list);

	statement->kind = kind;
	statement->first = first;
	statement->parent = position->parent;
	statement->child = statement->next = NO_STATEMENT;
	statement->construct = position->construct;
	statement->directive = -1;
	if (position->last != NO_STATEMENT)
		list->items[position->last].next = index;
	else if (position->parent != NO_STATEMENT)
		list->items[position->parent].child = index;
	position->last = index;
	return index;
}

static unsigned int read_statement(struct binder *binder, unsigned int at,
				   struct position *position);

static unsigned int close_statement(struct binder *binder, int index, unsigned int end)
{
	binder->unit->statements.items[index].end = end;
	return end;
}

static unsigned int read_compound(struct binder *binder, unsigned int at, struct position *position)
{
	int self = add_statement(binder, position, STATEMENT_COMPOUND, at);
	struct position inside = {self, NO_STATEMENT, position->construct};
	unsigned int close = token_of(binder, at)->match;

	if (close == NO_MATCH || close > binder->end) {
		binder->failed = true;
		return close_statement(binder, self, binder->end);
	}
	for (at++; at < close && !binder->failed;) {
		unsigned int next = read_statement(binder, at, &inside);

		if (next == at) /* a bracket too many */
			binder->failed = true;
		at = next;
	}
	return close_statement(binder, self, close + 1);
}

/* GNU C: whether the "{" at AT begins the body of a function inside the function. */
static bool is_nested_function(const struct binder *binder, unsigned int first, unsigned int at)
{
	static const char *const operators[] = {"sizeof", "__typeof__", "typeof", "_Alignof", NULL};
	unsigned int name;
	int i;

	if (at < first + 4 || !is(binder, at - 1, ")") ||
	    token_of(binder, at - 1)->match == NO_MATCH)
		return false;
	name = token_of(binder, at - 1)->match - 1;
	if (name <= first || token_of(binder, name)->kind != TOKEN_NAME ||
	    (token_of(binder, name - 1)->kind != TOKEN_NAME && !is(binder, name - 1, "*")))
		return false;
	for (i = 0; operators[i]; i++)
		if (is(binder, name, operators[i]))
			return false;
	return true;
}

/* It may write to any variable of the function around that it mentions; libclang skips it. */
static unsigned int read_nested_function(struct binder *binder, unsigned int at)
{
	struct unit *unit = binder->unit;
	unsigned int from = token_of(binder, at)->offset, end = after_bracket(binder, at), variable;

	for (; at < end; at++) {
		const struct token *token = token_of(binder, at);

		if (token->kind == TOKEN_DIRECTIVE) {
			report_error(unit, token->offset,
				     "an OpenMP directive in a nested function is not supported; "
				     "move the function out");
			binder->failed = true;
		}
		if (token->kind != TOKEN_NAME)
			continue;
		variable = tree_lookup(unit, token->offset, token->length, from, binder->function);
		if (variable != NO_VARIABLE)
			unit->tree.variables.items[variable].address_taken = true;
	}
	return end;
}

/* Up to the semicolon; statement expressions inside become children. */
static unsigned int read_simple(struct binder *binder, unsigned int at, struct position *position,
				enum statement_kind kind)
{
	int self = add_statement(binder, position, kind, at);
	struct position inside = {self, NO_STATEMENT, position->construct};
	unsigned int first = at;
	int depth = 0;

	while (at < binder->end) {
		const struct token *token = token_of(binder, at);

		if (token->kind == TOKEN_DIRECTIVE) {
			report_error(binder->unit, token->offset,
				     "an OpenMP directive is not allowed inside an expression or a "
				     "declaration");
			binder->failed = true;
			break;
		}
		if (is(binder, at, "(") && is(binder, at + 1, "{")) {
			at = read_compound(binder, at + 1, &inside);
			continue; /* the ")" that follows ends what began here */
		}
		if (is(binder, at, ";") && depth <= 0)
			return close_statement(binder, self, at + 1);
		if (is(binder, at, "}") && depth <= 0)
			break; /* the semicolon is missing: the compiler will say so */
		if (depth == 0 && is(binder, at, "{") && is_nested_function(binder, first, at))
			return close_statement(binder, self, read_nested_function(binder, at));
		if (is(binder, at, "{"))
			depth++;
		else if (is(binder, at, "}"))
			depth--;
		at++;
	}
	return close_statement(binder, self, at);
}

static unsigned int read_if(struct binder *binder, unsigned int at, struct position *position)
{
	int self = add_statement(binder, position, STATEMENT_IF, at);
	struct position inside = {self, NO_STATEMENT, position->construct};

	at = read_statement(binder, after_bracket(binder, at + 1), &inside);
	if (is(binder, at, "else"))
		at = read_statement(binder, at + 1, &inside);
	return close_statement(binder, self, at);
}

static unsigned int read_loop(struct binder *binder, unsigned int at, struct position *position)
{
	bool is_do = is(binder, at, "do");
	enum statement_kind kind = is(binder, at, "for")      ? STATEMENT_FOR
				   : is(binder, at, "switch") ? STATEMENT_SWITCH
							      : STATEMENT_LOOP;
	int self = add_statement(binder, position, kind, at);
	struct position inside = {self, NO_STATEMENT, position->construct};

	at = read_statement(binder, is_do ? at + 1 : after_bracket(binder, at + 1), &inside);
	if (is_do) {
		at = after_bracket(binder, at + 1); /* while (...) */
		if (is(binder, at, ";"))
			at++;
	}
	return close_statement(binder, self, at);
}

/* The token after the colon of `case x:`, `default:` or `label:`. */
static unsigned int after_colon(const struct binder *binder, unsigned int at)
{
	int questions = 0;

	while (at < binder->end) {
		if (is(binder, at, "?"))
			questions++;
		if (is(binder, at, ":") && questions-- == 0)
			return at + 1;
		at = is(binder, at, "(") ? after_bracket(binder, at) : at + 1;
	}
	return at;
}

static unsigned int read_label(struct binder *binder, unsigned int at, struct position *position,
			       enum statement_kind kind)
{
	int self = add_statement(binder, position, kind, at);
	struct position inside = {self, NO_STATEMENT, position->construct};

	at = after_colon(binder, at);
	if (is(binder, at, "__attribute__"))
		at = after_bracket(binder, at + 1);
	if (!is(binder, at, "}"))
		at = read_statement(binder, at, &inside);
	return close_statement(binder, self, at);
}

/* A stand-alone directive may not be the whole body of an if, else or loop. */
static void check_stand_alone(struct binder *binder, const struct directive *directive, int parent)
{
	enum statement_kind kind = parent == NO_STATEMENT
					   ? STATEMENT_COMPOUND
					   : binder->unit->statements.items[parent].kind;

	if (kind == STATEMENT_COMPOUND || kind == STATEMENT_LABEL || kind == STATEMENT_CASE ||
	    directive_is(directive->kind, IS_DECLARATIVE))
		return;
	report_error(binder->unit, directive->offset,
		     "'omp %s' cannot be the whole body of a statement; put it into braces",
		     directive_facts[directive->kind].name);
}

/*
 * A loop construct is shared out by the team whose region it stands in directly; inside anything
 * else, or as bind says, the thread that meets it runs all of it.
 */
static void bind_loop(struct unit *unit, struct directive *directive)
{
	const struct clause *bind = directive_clause(directive, CLAUSE_BIND);
	enum directive_kind outer = directive->parent < 0
					    ? DIRECTIVE_PARALLEL
					    : unit->directives.list.items[directive->parent].kind;

	if (!directive->loop || directive->kind != DIRECTIVE_FOR)
		return;
	if (bind ? token_is(&unit->source,
			    &(struct token){bind->argument.from,
					    bind->argument.to - bind->argument.from, TOKEN_NAME, 0},
			    "parallel")
		 : outer == DIRECTIVE_PARALLEL || outer == DIRECTIVE_SCOPE)
		return;
	directive->kind = DIRECTIVE_SIMD;
	directive->device = true;
}

/* Directive INDEX, whose line is at AT. */
static unsigned int read_directive(struct binder *binder, unsigned int at, int index,
				   struct position *position)
{
	struct directive *directive = &binder->unit->directives.list.items[index];
	int self = add_statement(binder, position, STATEMENT_DIRECTIVE, at);
	struct position inside = {self, NO_STATEMENT, index};
	const struct statement *child;

	binder->unit->statements.items[self].directive = index;
	directive->function = binder->function;
	directive->statement = self;
	directive->parent = position->construct;
	bind_loop(binder->unit, directive);
	if (!directive_is(directive->kind, HAS_BODY)) {
		check_stand_alone(binder, directive, position->parent);
		return close_statement(binder, self, at + 1);
	}
	if (at + 1 >= binder->end || is(binder, at + 1, "}")) {
		report_error(binder->unit, directive->offset, "no statement follows 'omp %s'",
			     directive_facts[directive->kind].name);
		binder->failed = true;
		return close_statement(binder, self, at + 1);
	}
	at = directive->combined ? read_directive(binder, at, index + 1, &inside)
				 : read_statement(binder, at + 1, &inside);
	child = &binder->unit->statements.items[binder->unit->statements.items[self].child];
	directive->body.from = token_of(binder, child->first)->offset;
	directive->body.to = token_end(token_of(binder, child->end - 1));
	return close_statement(binder, self, at);
}

static unsigned int read_statement(struct binder *binder, unsigned int at,
				   struct position *position)
{
	if (at >= binder->end) {
		binder->failed = true;
		add_statement(binder, position, STATEMENT_SIMPLE, at);
		return close_statement(binder, position->last, at);
	}
	if (token_of(binder, at)->kind == TOKEN_DIRECTIVE)
		return read_directive(binder, at, (int)token_of(binder, at)->match, position);
	if (is(binder, at, "{"))
		return read_compound(binder, at, position);
	if (token_of(binder, at)->kind != TOKEN_NAME)
		return read_simple(binder, at, position, STATEMENT_SIMPLE);
	if (is(binder, at, "if"))
		return read_if(binder, at, position);
	if (is(binder, at, "for") || is(binder, at, "while") || is(binder, at, "do") ||
	    is(binder, at, "switch"))
		return read_loop(binder, at, position);
	if (is(binder, at, "case") || is(binder, at, "default"))
		return read_label(binder, at, position, STATEMENT_CASE);
	if (is(binder, at, "break"))
		return read_simple(binder, at, position, STATEMENT_BREAK);
	if (is(binder, at, "continue"))
		return read_simple(binder, at, position, STATEMENT_CONTINUE);
	if (is(binder, at, "return"))
		return read_simple(binder, at, position, STATEMENT_RETURN);
	if (is(binder, at, "goto"))
		return read_simple(binder, at, position, STATEMENT_GOTO);
	if (is(binder, at + 1, ":"))
		return read_label(binder, at, position, STATEMENT_LABEL);
	return read_simple(binder, at, position, STATEMENT_SIMPLE);
}

static void bind_function(struct unit *unit, int index)
{
	struct function *function = &unit->tree.functions.items[index];
	struct binder binder = {unit, index, 0, false};
	struct position outside = {NO_STATEMENT, NO_STATEMENT, -1};
	unsigned int first;

	if (function->body.to <= function->body.from)
		return;
	first = source_token_at(&unit->source, function->body.from);
	binder.end = source_token_at(&unit->source, function->body.to);
	read_statement(&binder, first, &outside);
	if (binder.failed && !unit->errors)
		report_error(unit, function->name, "cannot parse the statements of this function");
}

int after_transformations(const struct unit *unit, int at)
{
	const struct statement *list = unit->statements.items;

	while (at != NO_STATEMENT && list[at].kind == STATEMENT_DIRECTIVE &&
	       unit->directives.list.items[list[at].directive].transforms)
		at = list[at].child;
	return at;
}

int enclosing_parallel(const struct unit *unit, int index)
{
	const struct directive *list = unit->directives.list.items;

	for (index = list[index].parent; index >= 0; index = list[index].parent)
		if (directive_is(list[index].kind, IS_PARALLEL))
			return index;
	return -1;
}

static void check_unbound(struct unit *unit)
{
	size_t i;

	for (i = 0; i < unit->directives.list.count; i++) {
		const struct directive *directive = &unit->directives.list.items[i];

		if (directive->function < 0 && !directive_is(directive->kind, IS_DECLARATIVE))
			report_error(unit, directive->offset,
				     "'omp %s' is not at a place where a statement of a function "
				     "is allowed",
				     directive_facts[directive->kind].name);
	}
}

void bind_directives(struct unit *unit)
{
	size_t i;

	for (i = 0; i < unit->tree.functions.count; i++)
		bind_function(unit, (int)i);
	if (unit->errors)
		return;
	check_unbound(unit);
	directives_evaluate(unit);
	check_nesting(unit);
}
