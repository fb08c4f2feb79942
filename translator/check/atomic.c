/* SPDX-License-Identifier: GPL-2.0-or-later */
/* atomic.c - the forms of the atomic construct. */
#include "atomic.h"

#include <string.h>

#include "read/report.h"
#include "read/unit.h"

static const struct {
	const char *word;
	const char *assignment;
	const char *element; /* the enum cape_operator, or NULL */
	bool negated;
	int precedence;
} operators[] = {
	{"+", "+=", "CAPE_ADD", false, 5},
	{"-", "-=", "CAPE_ADD", true, 5},
	{"*", "*=", "CAPE_MULTIPLY", false, 6},
	{"/", "/=", NULL, false, 6},
	{"%", "%=", NULL, false, 6},
	{"<<", "<<=", NULL, false, 4},
	{">>", ">>=", NULL, false, 4},
	{"&", "&=", "CAPE_BIT_AND", false, 3},
	{"^", "^=", "CAPE_BIT_XOR", false, 2},
	{"|", "|=", "CAPE_BIT_OR", false, 1},
};

#define OPERATOR_COUNT (int)(sizeof operators / sizeof *operators)

struct reader {
	struct unit *unit;
	const struct source *source;
	const struct directive *directive;
	struct atomic *atomic;
};

static bool is(const struct reader *reader, struct part part, unsigned int at, const char *word)
{
	return part_is(reader->source, part, at, word);
}

static int operator_at(const struct reader *reader, struct part part, unsigned int at)
{
	int i;

	for (i = 0; i < OPERATOR_COUNT; i++)
		if (is(reader, part, at, operators[i].word))
			return i;
	return -1;
}

/* Whether an operand ends with the token before AT, so that an operator there has two. */
static bool is_binary(const struct reader *reader, struct part part, unsigned int at)
{
	return at > part.first &&
	       (reader->source->tokens.items[at - 1].kind != TOKEN_PUNCTUATOR ||
		is(reader, part, at - 1, ")") || is(reader, part, at - 1, "]") ||
		is(reader, part, at - 1, "++") || is(reader, part, at - 1, "--"));
}

/* The loosest operator of PART outside brackets: its precedence, 0 for one looser than all. */
static int loosest(const struct reader *reader, struct part part)
{
	static const char *const loose[] = {
		"?", ",", "&&", "||", "==", "!=", "<", ">", "<=", ">=", "=", NULL};
	int found = 99, i, word;
	unsigned int at;

	for (at = part.first; at < part.end; at = part_next(reader->source, at)) {
		for (word = 0; loose[word]; word++)
			if (is(reader, part, at, loose[word]))
				return 0;
		i = operator_at(reader, part, at);
		if (i >= 0 && is_binary(reader, part, at) && operators[i].precedence < found)
			found = operators[i].precedence;
	}
	return found;
}

/* The first assignment operator outside brackets from AT on, or part.end. */
static unsigned int find_assignment(const struct reader *reader, struct part part, unsigned int at)
{
	int i;

	for (; at < part.end; at = part_next(reader->source, at)) {
		if (is(reader, part, at, "="))
			return at;
		for (i = 0; i < OPERATOR_COUNT; i++)
			if (is(reader, part, at, operators[i].assignment))
				return at;
	}
	return part.end;
}

static void set_element(struct reader *reader, int index)
{
	if (!operators[index].element)
		return;
	reader->atomic->operator_name = operators[index].element;
	reader->atomic->negated = operators[index].negated;
}

/* x = x op e, x = e op x */
static bool read_assigned(struct reader *reader, struct part variable, struct part value)
{
	unsigned int length = variable.end - variable.first;
	struct part operand;
	int index;

	value = part_inside(reader->source, value);
	if (value.end - value.first < length + 2)
		return false;
	if (part_same(reader->source, variable, (struct part){value.first, value.first + length}) &&
	    (index = operator_at(reader, value, value.first + length)) >= 0) {
		operand = (struct part){value.first + length + 1, value.end};
		reader->atomic->value = operand;
		if (loosest(reader, operand) > operators[index].precedence)
			set_element(reader, index);
		return loosest(reader, operand) >= operators[index].precedence;
	}
	index = operator_at(reader, value, value.end - length - 1);
	operand = (struct part){value.first, value.end - length - 1};
	reader->atomic->value = operand;
	if (index < 0 ||
	    !part_same(reader->source, variable, (struct part){value.end - length, value.end}) ||
	    loosest(reader, operand) < operators[index].precedence)
		return false;
	if (!operators[index].negated)
		set_element(reader, index);
	return true;
}

/* x++ and so on, x op= e, x = x op e; where ANY_VALUE holds, x = e as well. */
static bool read_update(struct reader *reader, struct part part, bool any_value)
{
	unsigned int at = find_assignment(reader, part, part.first);
	struct part *variable = &reader->atomic->variable, value = {at + 1, part.end};
	int i;

	if (part.end < part.first + 2)
		return false;
	*variable = (struct part){part.first, at};
	if (at == part.end) {
		bool before =
			is(reader, part, part.first, "++") || is(reader, part, part.first, "--");
		bool after = is(reader, part, part.end - 1, "++") ||
			     is(reader, part, part.end - 1, "--");

		*variable = (struct part){part.first + before, part.end - after};
		if (before == after || variable->first == variable->end)
			return false;
		if (after && is(reader, part, part.first, "*"))
			return false; /* the pointer's */
		i = is(reader, part, before ? part.first : part.end - 1, "++") ? 0 : 1;
		set_element(reader, i);
		return true;
	}
	if (at == part.first || value.first >= value.end)
		return false;
	if (is(reader, part, at, "=")) {
		if (read_assigned(reader, *variable, value))
			return true;
		reader->atomic->value = value;
		return any_value;
	}
	reader->atomic->value = value;
	for (i = 0; i < OPERATOR_COUNT; i++)
		if (is(reader, part, at, operators[i].assignment))
			set_element(reader, i);
	return true;
}

/* v = x */
static bool read_read(struct reader *reader, struct part part)
{
	unsigned int at = part_find(reader->source, part, part.first, "=");

	reader->atomic->result = (struct part){part.first, at};
	reader->atomic->variable = (struct part){at + 1, part.end};
	return at > part.first && at + 1 < part.end;
}

/* x = e */
static bool read_write(struct reader *reader, struct part part)
{
	unsigned int at = part_find(reader->source, part, part.first, "=");

	reader->atomic->variable = (struct part){part.first, at};
	reader->atomic->value = (struct part){at + 1, part.end};
	return at > part.first && at + 1 < part.end;
}

/* { v = x; update } and { update v = x; } */
static bool read_capture_block(struct reader *reader, struct part part)
{
	unsigned int middle = part_find(reader->source, part, part.first, ";");
	struct part first = {part.first, middle}, second, read;

	second.first = middle + 1;
	second.end = part_find(reader->source, part, second.first, ";");
	if (second.first >= second.end || second.end + 1 != part.end)
		return false;
	if (read_read(reader, first)) {
		read = reader->atomic->variable;
		if (read_update(reader, second, true) &&
		    part_same(reader->source, part_inside(reader->source, read),
			      part_inside(reader->source, reader->atomic->variable))) {
			reader->atomic->before = true;
			return true;
		}
		reader->atomic->operator_name = NULL;
		reader->atomic->value = (struct part){0, 0};
	}
	if (!read_read(reader, second))
		return false;
	read = reader->atomic->variable;
	return read_update(reader, first, false) &&
	       part_same(reader->source, part_inside(reader->source, read),
			 part_inside(reader->source, reader->atomic->variable));
}

/* v = update, or a block */
static bool read_capture(struct reader *reader, struct part part)
{
	unsigned int at;

	if (is(reader, part, part.first, "{"))
		return read_capture_block(reader, (struct part){part.first + 1, part.end - 1});
	at = part_find(reader->source, part, part.first, "=");
	reader->atomic->result = (struct part){part.first, at};
	reader->atomic->before =
		is(reader, part, part.end - 2, "++") || is(reader, part, part.end - 2, "--");
	return at > part.first && at + 1 < part.end - 1 &&
	       read_update(reader, (struct part){at + 1, part.end - 1}, false);
}

/* Finds "x == value" in PART. */
static void find_equality(struct reader *reader, struct part part)
{
	struct part variable = reader->atomic->variable;
	unsigned int length = variable.end - variable.first, at = part.first + length, end;

	while (at < part.end && !is(reader, part, at, "=="))
		at++;
	end = at + 1;
	if (end >= part.end || !part_same(reader->source, variable, (struct part){at - length, at}))
		return;
	while (end < part.end && !is(reader, part, end, ")") && !is(reader, part, end, "?") &&
	       !is(reader, part, end, ";"))
		end = part_next(reader->source, end);
	reader->atomic->equality = (struct part){at - length, end};
	reader->atomic->other = (struct part){at + 1, end};
}

/* OpenMP 5.1: what is assigned after `if (...)`, or by the last `=` before a `?`. */
static bool read_compare(struct reader *reader, struct part part)
{
	unsigned int at, end;

	for (at = part.first; at < part.end && !is(reader, part, at, "if"); at++)
		;
	if (at < part.end) {
		at = part_next(reader->source, at + 1);
		at += is(reader, part, at, "{");
	} else {
		at = part.first + is(reader, part, part.first, "{");
		end = find_assignment(reader, part, at);
		if (find_assignment(reader, part, end + 1) <
		    part_find(reader->source, part, end + 1, ";"))
			at = end + 1;
	}
	end = part_find(reader->source, part, at, "=");
	reader->atomic->variable = (struct part){at, end};
	if (at >= end || end >= part.end)
		return false;
	find_equality(reader, part);
	return true;
}

static bool read_form(struct reader *reader, struct part part, const char **forms)
{
	bool compare = false, capture = false;
	const char *access = "update";
	struct part simple = {part.first, part.end - 1};
	size_t i;

	for (i = 0; i < reader->directive->clauses.count; i++) {
		const struct clause *clause = &reader->directive->clauses.items[i];

		if (clause->kind == CLAUSE_MEMORY_ORDER && strcmp(clause->name, "relaxed") != 0)
			reader->atomic->flushes = true;
		if (clause->kind != CLAUSE_ACCESS)
			continue;
		compare |= !strcmp(clause->name, "compare");
		capture |= !strcmp(clause->name, "capture");
		access = clause->name;
	}
	reader->atomic->kind = "CAPE_ATOMIC_CAPTURE";
	if (compare) {
		*forms = "if (x == value) { x = other; }, x = x < value ? value : x";
		return read_compare(reader, part);
	}
	if (capture) {
		*forms = "v = x++, v = x op= value, { v = x; x = value; }, { x op= value; v = x; }";
		return read_capture(reader, part);
	}
	if (!strcmp(access, "read")) {
		reader->atomic->kind = "CAPE_ATOMIC_READ";
		*forms = "v = x";
		return read_read(reader, simple);
	}
	if (!strcmp(access, "write")) {
		reader->atomic->kind = "CAPE_ATOMIC_WRITE";
		*forms = "x = value";
		return read_write(reader, simple);
	}
	reader->atomic->kind = "CAPE_ATOMIC_UPDATE";
	reader->atomic->element = !reader->atomic->flushes;
	*forms = "x++, x--, x op= value, x = x op value, x = value op x";
	return read_update(reader, simple, false);
}

bool atomic_read(struct unit *unit, const struct directive *directive, struct atomic *atomic)
{
	const struct statement *list = unit->statements.items;
	const struct statement *body = &list[list[directive->statement].child];
	struct reader reader = {unit, &unit->source, directive, atomic};
	struct part part = {body->first, body->end};
	const char *forms = "";

	*atomic = (struct atomic){0};
	if ((is(&reader, part, part.end - 1, ";") || is(&reader, part, part.end - 1, "}")) &&
	    read_form(&reader, part, &forms))
		return true;
	report_error(unit, directive->body.from,
		     "the statement of 'omp atomic' must have one of the forms %s", forms);
	return false;
}
