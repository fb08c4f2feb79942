/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * depend_text.c - what the list items of depend clauses do besides naming memory.
 *
 * Tasks with dependences run in the order in which they are met, whatever memory the clause names;
 * a call in it still has to be made, once.
 */
#include "depend_text.h"

#include "read/part.h"
#include "read/report.h"
#include "read/unit.h"
#include "shadow.h"

/* Words FIRST .. END - 1 of the pragmas. */
struct words {
	struct unit *unit;
	unsigned int first, end;
};

static const struct token *word_at(const struct words *words, unsigned int at)
{
	return &words->unit->directives.words.items[at];
}

static bool is(const struct words *words, unsigned int at, const char *word)
{
	return at < words->end && token_is(&words->unit->source, word_at(words, at), word);
}

/* The word behind the one at AT, or behind its brackets. */
static unsigned int behind(const struct words *words, unsigned int at)
{
	unsigned int match = word_at(words, at)->match;

	return match != NO_MATCH && match > at && match < words->end ? match + 1 : at + 1;
}

static bool is_change(const struct words *words, unsigned int at)
{
	static const char *const changes[] = {
		"++", "--", "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="};
	size_t i;

	for (i = 0; i < sizeof changes / sizeof *changes; i++)
		if (is(words, at, changes[i]))
			return true;
	return false;
}

/* Whether something is called or changed.  A bracket behind a bracket may be a call, too. */
static bool does_something(const struct words *words)
{
	unsigned int at;

	for (at = words->first; at < words->end; at++) {
		if (is_change(words, at))
			return true;
		if (is(words, at + 1, "(") && !is(words, at, "sizeof") &&
		    (word_at(words, at)->kind == TOKEN_NAME || is(words, at, ")") ||
		     is(words, at, "]")))
			return true;
	}
	return false;
}

/* The place of WORD in WORDS outside of brackets, or the end. */
static unsigned int find(const struct words *words, const char *word)
{
	unsigned int at;

	for (at = words->first; at < words->end && !is(words, at, word);)
		at = behind(words, at);
	return at < words->end ? at : words->end;
}

static struct words up_to(const struct words *words, unsigned int end)
{
	return (struct words){words->unit, words->first, end};
}

static bool write_expression(struct words part, const char *sign, struct text *text,
			     unsigned int depth)
{
	struct range range;

	if (!does_something(&part))
		return false;
	range.from = word_at(&part, part.first)->offset;
	range.to = token_end(word_at(&part, part.end - 1));
	indent(text, depth);
	text_print(text, "(void)%s(", sign);
	source_copy(&part.unit->source, range, text);
	text_print(text, ");\n");
	return true;
}

/* The bounds of a section stand on both sides of its colon. */
static bool write_subscript(struct words part, struct text *text, unsigned int depth)
{
	unsigned int colon = find(&part, "?") < part.end ? part.end : find(&part, ":");
	bool any = write_expression(up_to(&part, colon), "", text, depth);

	if (colon < part.end)
		any |= write_expression((struct words){part.unit, colon + 1, part.end}, "", text,
					depth);
	return any;
}

/* An item is what stands before its first subscript, and these. */
static bool write_item(struct words item, struct text *text, unsigned int depth)
{
	unsigned int at = find(&item, "[");
	bool any = write_expression(up_to(&item, at), at < item.end ? "" : "&", text, depth);

	while (at < item.end) {
		unsigned int next = behind(&item, at);

		if (is(&item, at, "["))
			any |= write_subscript((struct words){item.unit, at + 1, next - 1}, text,
					       depth);
		at = next;
	}
	return any;
}

/* [iterator(...),] type: items */
static bool write_clause(struct words words, struct text *text, unsigned int depth)
{
	bool iterates = is(&words, words.first, "iterator"), any = false;

	words.first = find(&words, ":") + 1;
	if (words.first >= words.end)
		return false;
	if (iterates && does_something(&words)) {
		report_error(words.unit, word_at(&words, words.first)->offset,
			     "a call or a change of a variable behind an iterator of 'depend' is "
			     "not supported: compute it before");
		return false;
	}
	while (words.first < words.end) {
		unsigned int comma = find(&words, ",");

		any |= write_item(up_to(&words, comma), text, depth);
		words.first = comma + 1;
	}
	return any;
}

bool depend_write(struct unit *unit, const struct directive *directive, struct text *text,
		  unsigned int depth)
{
	unsigned int count = (unsigned int)unit->directives.words.count;
	bool any = false;
	size_t i;

	for (i = 0; i < directive->clauses.count; i++) {
		const struct clause *clause = &directive->clauses.items[i];
		struct words words = {unit, 0, count};

		if (clause->kind != CLAUSE_DEPEND)
			continue;
		while (word_at(&words, words.first)->offset < clause->argument.from)
			words.first++;
		for (words.end = words.first;
		     words.end < count &&
		     unit->directives.words.items[words.end].offset < clause->argument.to;)
			words.end++;
		any |= write_clause(words, text, depth);
	}
	return any;
}
