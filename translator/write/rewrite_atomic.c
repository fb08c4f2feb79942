/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rewrite_atomic.c - the atomic construct (cape_atomic.h).
 *
 * In its statement a copy, cape_new, stands for the variable, since between threads the statement
 * may run again; so what has effects is evaluated before.
 */
#include "rewrite_sync.h"

#include "check/atomic.h"
#include "read/construct.h"
#include "read/report.h"
#include "read/unit.h"

/* Whether evaluating PART more than once is the same as once. */
static bool is_plain(const struct source *source, struct part part)
{
	unsigned int at;

	for (at = part.first; at < part.end; at++)
		if (part_is(source, part, at, "(") || part_is(source, part, at, "++") ||
		    part_is(source, part, at, "--"))
			return false;
	return true;
}

/* A call may synchronise, too. */
static bool has_effects(const struct source *source, struct part part)
{
	static const char *const signs[] = {
		"++", "--", "{", "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="};
	unsigned int at;
	size_t i;

	for (at = part.first; at < part.end; at++) {
		if (at + 1 < part.end && source->tokens.items[at].kind == TOKEN_NAME &&
		    part_is(source, part, at + 1, "("))
			return true;
		for (i = 0; i < sizeof signs / sizeof *signs; i++)
			if (part_is(source, part, at, signs[i]))
				return true;
	}
	return false;
}

static bool ends_operand(const struct source *source, unsigned int at)
{
	static const char *const words[] = {"else", "do", "return", "sizeof"};
	const struct token *token = &source->tokens.items[at];
	size_t i;

	for (i = 0; i < sizeof words / sizeof *words; i++)
		if (token_is(source, token, words[i]))
			return false;
	if (token->kind == TOKEN_DIRECTIVE)
		return false;
	if (token_is(source, token, ")") && token->match != NO_MATCH && token->match > 0 &&
	    token_is(source, &source->tokens.items[token->match - 1], "if"))
		return false;
	return token->kind != TOKEN_PUNCTUATOR || token_is(source, token, ")") ||
	       token_is(source, token, "]");
}

/* Whether the tokens of HERE, which are a variable's, are it, not a part of another expression. */
static bool is_variable(const struct source *source, struct part here)
{
	const struct token *before = &source->tokens.items[here.first - 1];
	const struct token *first = before + 1, *after = &source->tokens.items[here.end];

	if (token_is(source, before, ".") || token_is(source, before, "->") ||
	    token_is(source, after, ".") || token_is(source, after, "->") ||
	    token_is(source, after, "[") || token_is(source, after, "("))
		return false;
	if (token_is(source, before, "&") && !ends_operand(source, here.first - 2))
		return false;
	return !(token_is(source, first, "*") && ends_operand(source, here.first - 1));
}

static void replace(struct unit *unit, struct part part, const char *words)
{
	struct range range = part_text(&unit->source, part);

	edit_replace(&unit->source, range.from, range.to, range.from, format_text("%s", words));
}

/* Lets the copy stand for VARIABLE, wherever it is in the statement outside of what has edits. */
static void replace_variable(struct unit *unit, const struct directive *directive,
			     struct part variable, const struct part *edited, size_t count)
{
	struct source *source = &unit->source;
	unsigned int length = variable.end - variable.first;
	unsigned int at = source_token_at(source, directive->body.from);
	unsigned int end = source_token_at(source, directive->body.to);
	size_t i;

	while (at + length <= end) {
		struct part here = {at, at + length};

		for (i = 0; i < count && !(edited[i].first <= at && at < edited[i].end); i++)
			;
		if (i < count) {
			at = edited[i].end;
		} else if (part_same(source, variable, here) &&
			   (at == variable.first || is_variable(source, here))) {
			replace(unit, here, "cape_new");
			at += length;
		} else {
			at++;
		}
	}
}

/* What is pushed and fetched is bytes that have an address. */
static bool is_bit_field(struct unit *unit, struct part variable)
{
	const struct token *last =
		&unit->source.tokens.items[part_inside(&unit->source, variable).end - 1];
	size_t i;

	for (i = 0; i < unit->tree.bit_fields.count; i++)
		if (unit->tree.bit_fields.items[i] == last->offset) {
			report_error(
				unit, last->offset,
				"'%.*s' is a bit-field, for which 'omp atomic' is not supported: "
				"use 'omp critical', or a member that is not a bit-field",
				(int)last->length, unit->source.text.data + last->offset);
			return true;
		}
	return false;
}

/* Evaluates PART before the construct, as the DECLARED, which is WORDS in the statement. */
static void hoist(struct unit *unit, struct part part, const char *declared, const char *words,
		  struct text *name, struct text *out)
{
	const char *address = *declared == '*' ? "&" : "";

	text_print(out, "\t__typeof__(%s) %s = %s(%s);\n", name->data, declared, address,
		   name->data);
	replace(unit, part, words);
	name->length = 0;
	text_print(name, "%s", words);
}

/* Whether x == value is by their bits. */
static void rewrite_equality(struct unit *unit, const struct atomic *atomic)
{
	struct range range = part_text(&unit->source, atomic->equality);
	struct text other = {0};

	if (atomic->equality.first >= atomic->equality.end)
		return;
	source_copy(&unit->source, part_text(&unit->source, atomic->other), &other);
	edit_replace(&unit->source, range.from, range.to, range.from,
		     format_text("cape_same(cape_new, %s)", other.data));
	text_free(&other);
}

/* The parts of a statement as text. */
struct words {
	struct text variable, value, result;
};

static void write_operator(const struct atomic *atomic, const struct words *words, struct text *out)
{
	char sign = atomic->negated ? '-' : '+';

	if (!atomic->operator_name)
		return;
	if (atomic->result.first < atomic->result.end)
		text_print(out, "\tif (!cape_atomic_capture(%s, %d, ", words->result.data,
			   atomic->before);
	else
		text_print(out, "\tif (!cape_atomic_update%s(", atomic->element ? "" : "_flush");
	text_print(out, "%s, %s, %c, (%s)))\n", words->variable.data, atomic->operator_name, sign,
		   words->value.data);
}

static void write_construct(struct unit *unit, const struct directive *directive,
			    const struct atomic *atomic, const struct words *words,
			    struct text *out)
{
	const char *variable = words->variable.data;
	const char *flush = atomic->flushes ? " | CAPE_ATOMIC_FLUSH" : "";

	text_print(out, "\tcape_atomic_type(%s) cape_old = 0, cape_new = 0;\n", variable);
	write_operator(atomic, words, out);
	text_print(out, "\tdo {\n\t\tcape_atomic_load(&(%s), &cape_old, &cape_new, %s%s);\n",
		   variable, atomic->kind, flush);
	construct_open(unit, directive, out->data);
	construct_close(
		unit, directive,
		format_text(
			"\t} while (!cape_atomic_store(&(%s), &cape_old, &cape_new, %s%s));\n}\n",
			variable, atomic->kind, flush));
}

void rewrite_atomic(struct unit *unit, const struct directive *directive)
{
	struct words words = {0};
	struct text out = {0};
	struct source *source = &unit->source;
	struct part edited[3];
	struct atomic atomic;
	size_t count = 0;

	if (!atomic_read(unit, directive, &atomic) || is_bit_field(unit, atomic.variable))
		return;
	source_copy(source, part_text(source, atomic.variable), &words.variable);
	if (atomic.value.first < atomic.value.end)
		source_copy(source, part_text(source, atomic.value), &words.value);
	else
		text_print(&words.value, "1");
	source_copy(source, part_text(source, atomic.result), &words.result);
	text_print(&out, "{\n");
	if (!is_plain(source, atomic.variable)) {
		text_print(&out, "\t__typeof__(%s) *cape_variable = &(%s);\n", words.variable.data,
			   words.variable.data);
		words.variable.length = 0;
		text_print(&words.variable, "*cape_variable");
	}
	if (has_effects(source, atomic.value)) {
		hoist(unit, atomic.value, "cape_value", "cape_value", &words.value, &out);
		edited[count++] = atomic.value;
	}
	if (has_effects(source, atomic.result)) {
		hoist(unit, atomic.result, "*cape_result", "*cape_result", &words.result, &out);
		edited[count++] = atomic.result;
	}
	if (atomic.equality.first < atomic.equality.end)
		edited[count++] = atomic.equality;
	rewrite_equality(unit, &atomic);
	replace_variable(unit, directive, part_inside(source, atomic.variable), edited, count);
	write_construct(unit, directive, &atomic, &words, &out);
	text_free(&words.variable);
	text_free(&words.value);
	text_free(&words.result);
}
