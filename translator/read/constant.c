/* SPDX-License-Identifier: GPL-2.0-or-later */
/* constant.c - computes integer constant expressions, by precedence. */
#include "constant.h"

#include <stdlib.h>
#include <string.h>

#include "unit.h"

struct reader {
	const struct unit *unit;
	int function;
	const struct token *at;
	const struct token *end;
	unsigned int depth; /* hostile text may be nested as deeply as it likes */
	bool failed;
};

static const struct operator
{
	const char *word;
	int precedence;
}
operators[] = {
	{"||", 1}, {"&&", 2}, {"|", 3}, {"^", 4},  {"&", 5},  {"==", 6},
	{"!=", 6}, {"<", 7},  {">", 7}, {"<=", 7}, {">=", 7}, {"<<", 8},
	{">>", 8}, {"+", 9},  {"-", 9}, {"*", 10}, {"/", 10}, {"%", 10},
};

static long fail(struct reader *reader)
{
	reader->failed = true;
	return 0;
}

static bool is(const struct reader *reader, const char *word)
{
	return reader->at < reader->end && token_is(&reader->unit->source, reader->at, word);
}

static bool take(struct reader *reader, const char *word)
{
	if (!is(reader, word))
		return false;
	reader->at++;
	return true;
}

static long read_number(struct reader *reader)
{
	const struct token *token = reader->at++;
	const char *text = reader->unit->source.text.data + token->offset, *end;
	char *rest;
	unsigned long value;

	if (text[0] == '0' && (text[1] == 'b' || text[1] == 'B'))
		value = strtoul(text + 2, &rest, 2);
	else
		value = strtoul(text, &rest, 0);
	for (end = text + token->length; rest < end && strchr("uUlL", *rest);)
		rest++;
	return rest == end && (long)value >= 0 ? (long)value : fail(reader);
}

/* The innermost enumeration constant of the name. */
static long read_name(struct reader *reader)
{
	const struct tree *tree = &reader->unit->tree;
	const struct token *token = reader->at++;
	size_t i;

	for (i = tree->enumerators.count; i-- > 0;) {
		const struct enumerator *enumerator = &tree->enumerators.items[i];
		struct token name = {enumerator->offset, enumerator->length, TOKEN_NAME, 0};

		if (enumerator->offset < token->offset && token->offset < enumerator->scope_end &&
		    (enumerator->function < 0 || enumerator->function == reader->function) &&
		    token_same(&reader->unit->source, &name, token))
			return enumerator->value;
	}
	return fail(reader);
}

/* (int) and the like; what narrower types cut off is not looked at. */
static bool take_cast(struct reader *reader)
{
	static const char *const words[] = {"int",	"long",	   "unsigned", "signed",
					    "__int128", "size_t",  "ssize_t",  "ptrdiff_t",
					    "intmax_t", "int64_t", "int32_t",  NULL};
	const struct token *begin = reader->at;
	bool type = take(reader, "(");
	int i;

	while (type && !is(reader, ")")) {
		for (i = 0; words[i] && !is(reader, words[i]);)
			i++;
		type = words[i] != NULL;
		reader->at++;
	}
	if (type && reader->at != begin + 1 && take(reader, ")"))
		return true;
	reader->at = begin;
	return false;
}

static long read_binary(struct reader *reader, int precedence);

static long read_choice(struct reader *reader)
{
	long condition = read_binary(reader, 1), yes, no;

	if (!take(reader, "?"))
		return condition;
	yes = read_choice(reader);
	if (!take(reader, ":"))
		return fail(reader);
	no = read_choice(reader);
	return condition ? yes : no;
}

static long read_operand(struct reader *reader)
{
	long value = 0;

	if (reader->at >= reader->end || reader->failed || ++reader->depth > 100)
		return fail(reader);
	if (take_cast(reader) || take(reader, "+")) {
		value = read_operand(reader);
	} else if (take(reader, "-")) {
		if (__builtin_sub_overflow(0, read_operand(reader), &value))
			fail(reader);
	} else if (take(reader, "!")) {
		value = !read_operand(reader);
	} else if (take(reader, "~")) {
		value = ~read_operand(reader);
	} else if (take(reader, "(")) {
		value = read_choice(reader);
		if (!take(reader, ")"))
			fail(reader);
	} else if (reader->at->kind == TOKEN_NUMBER) {
		value = read_number(reader);
	} else if (reader->at->kind == TOKEN_NAME) {
		value = read_name(reader);
	} else {
		fail(reader);
	}
	reader->depth--;
	return value;
}

static long divide(struct reader *reader, char sign, long one, long other)
{
	if (other == 0 || other == -1) /* LONG_MIN / -1 */
		return fail(reader);
	return sign == '/' ? one / other : one % other;
}

static long compute(struct reader *reader, const char *word, long one, long other)
{
	long value = 0;

	if (word[0] == word[1] && (word[0] == '<' || word[0] == '>')) {
		if (one < 0 || other < 0 || other > 62 || (word[0] == '<' && one >> (62 - other)))
			return fail(reader);
		return word[0] == '<' ? one << other : one >> other;
	}
	if (word[1])
		return word[0] == '|'	? one || other
		       : word[0] == '&' ? one && other
		       : word[0] == '=' ? one == other
		       : word[0] == '!' ? one != other
		       : word[0] == '<' ? one <= other
					: one >= other;
	switch (word[0]) {
	case '|':
		return one | other;
	case '^':
		return one ^ other;
	case '&':
		return one & other;
	case '<':
		return one < other;
	case '>':
		return one > other;
	case '+':
		return __builtin_add_overflow(one, other, &value) ? fail(reader) : value;
	case '-':
		return __builtin_sub_overflow(one, other, &value) ? fail(reader) : value;
	case '*':
		return __builtin_mul_overflow(one, other, &value) ? fail(reader) : value;
	default:
		return divide(reader, word[0], one, other);
	}
}

static const struct operator* operator_here(const struct reader *reader)
{
	size_t i;

	for (i = 0; i < sizeof operators / sizeof *operators; i++)
		if (is(reader, operators[i].word))
			return &operators[i];
	return NULL;
}

static long read_binary(struct reader *reader, int precedence)
{
	long value = read_operand(reader);
	const struct operator* operator;

	while ((operator= operator_here(reader)) && operator->precedence >=
						    precedence && !reader->failed) {
		reader->at++;
		value = compute(reader, operator->word, value,
				read_binary(reader, operator->precedence + 1));
	}
	return value;
}

bool constant_value(const struct unit *unit, int function, const struct token *tokens,
		    unsigned int count, long *value)
{
	struct reader reader = {unit, function, tokens, tokens + count, 0, false};

	*value = read_choice(&reader);
	return !reader.failed && reader.at == reader.end;
}
