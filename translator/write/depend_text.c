/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * depend_text.c - the list items of depend clauses.
 *
 * The run time gets the address of each item of a task.  What else has the clause waits for all
 * tasks before it, whatever memory the clause names; a call in it still has to be made, once.
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

/* The word after the one at AT, or after its brackets. */
static unsigned int after(const struct words *words, unsigned int at)
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

/* Whether something is called or changed.  A bracket after a bracket may be a call, too. */
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
		at = after(words, at);
	return at < words->end ? at : words->end;
}

static struct words up_to(const struct words *words, unsigned int end)
{
	return (struct words){words->unit, words->first, end};
}

static void write_expression(struct words part, const char *sign, struct text *text,
			     unsigned int depth)
{
	struct range range;

	if (!does_something(&part))
		return;
	range.from = word_at(&part, part.first)->offset;
	range.to = token_end(word_at(&part, part.end - 1));
	indent(text, depth);
	text_print(text, "(void)%s(", sign);
	source_copy(&part.unit->source, range, text);
	text_print(text, ");\n");
}

/* The colon of a section, or the end of what is no section. */
static unsigned int colon_of(const struct words *subscript)
{
	return find(subscript, "?") < subscript->end ? subscript->end : find(subscript, ":");
}

/* The bounds of a section stand on both sides of its colon. */
static void write_subscript(struct words part, struct text *text, unsigned int depth)
{
	unsigned int colon = colon_of(&part);

	write_expression(up_to(&part, colon), "", text, depth);
	if (colon < part.end)
		write_expression((struct words){part.unit, colon + 1, part.end}, "", text, depth);
}

/* An item is what stands before its first subscript, and these. */
static void write_item(struct words item, struct text *text, unsigned int depth)
{
	unsigned int at = find(&item, "[");

	write_expression(up_to(&item, at), at < item.end ? "" : "&", text, depth);
	while (at < item.end) {
		unsigned int next = after(&item, at);

		if (is(&item, at, "["))
			write_subscript((struct words){item.unit, at + 1, next - 1}, text, depth);
		at = next;
	}
}

/* Items after an iterator may do nothing besides naming memory; whether they do. */
static bool refuse_iterated(const struct words *items)
{
	if (!does_something(items))
		return false;
	report_error(items->unit, word_at(items, items->first)->offset,
		     "a call or a change of a variable after an iterator of 'depend' is not "
		     "supported: compute the value before");
	return true;
}

/* [iterator(...),] type: items */
static void write_clause(struct words words, struct text *text, unsigned int depth)
{
	bool iterates = is(&words, words.first, "iterator");

	words.first = find(&words, ":") + 1;
	if (words.first >= words.end)
		return;
	if (iterates && refuse_iterated(&words))
		return;
	while (words.first < words.end) {
		unsigned int comma = find(&words, ",");

		write_item(up_to(&words, comma), text, depth);
		words.first = comma + 1;
	}
}

/* The words of CLAUSE's argument. */
static struct words words_of(struct unit *unit, const struct clause *clause)
{
	unsigned int count = (unsigned int)unit->directives.words.count;
	struct words words = {unit, 0, count};

	while (word_at(&words, words.first)->offset < clause->argument.from)
		words.first++;
	for (words.end = words.first;
	     words.end < count && word_at(&words, words.end)->offset < clause->argument.to;)
		words.end++;
	return words;
}

bool depend_write(struct unit *unit, const struct directive *directive, struct text *text,
		  unsigned int depth)
{
	bool any = false;
	size_t i;

	for (i = 0; i < directive->clauses.count; i++) {
		const struct clause *clause = &directive->clauses.items[i];

		if (clause->kind != CLAUSE_DEPEND)
			continue;
		write_clause(words_of(unit, clause), text, depth);
		any = true;
	}
	if (any) {
		indent(text, depth);
		text_print(text, "cape_taskwait();\n");
	}
	return any;
}

static void copy_words(const struct words *words, struct text *text)
{
	struct range range;

	if (words->first >= words->end)
		return;
	range.from = word_at(words, words->first)->offset;
	range.to = token_end(word_at(words, words->end - 1));
	source_copy(&words->unit->source, range, text);
}

/* "[LOWER]" of a subscript, which may be a section. */
static void write_lower(struct words part, struct text *text)
{
	unsigned int colon = colon_of(&part);

	text_print(text, "[");
	if (colon == part.first)
		text_print(text, "0");
	else
		copy_words(&(struct words){part.unit, part.first, colon}, text);
	text_print(text, "]");
}

/* The address of an item; of an array that is made of a pointer, ([n])p, where it begins. */
static void write_address(struct words item, struct text *text)
{
	unsigned int at;

	if (is(&item, item.first, "omp_all_memory")) {
		text_print(text, "(void *)0");
		return;
	}
	if (is(&item, item.first, "(") && is(&item, item.first + 1, "[")) {
		item.first = after(&item, item.first);
		item.end = find(&item, "[");
		copy_words(&item, text);
		return;
	}
	at = find(&item, "[");
	text_print(text, "&(");
	copy_words(&(struct words){item.unit, item.first, at}, text);
	while (at < item.end) {
		unsigned int next = after(&item, at);

		if (is(&item, at, "["))
			write_lower((struct words){item.unit, at + 1, next - 1}, text);
		else
			copy_words(&(struct words){item.unit, at, next}, text);
		at = next;
	}
	text_print(text, ")");
}

/* TYPE NAME = FIRST : END [: STEP] of an iterator, as a loop. */
static void write_loop(struct words words, struct text *text, unsigned int depth)
{
	unsigned int equals = find(&words, "="), colon, second;
	struct words name = {words.unit, equals - 1, equals}, first, last, step;

	if (equals >= words.end || equals == words.first)
		return;
	first = (struct words){words.unit, equals + 1, words.end};
	colon = find(&first, ":");
	last = (struct words){words.unit, colon < words.end ? colon + 1 : colon, words.end};
	second = find(&last, ":");
	step = (struct words){words.unit, second < words.end ? second + 1 : second, words.end};
	first.end = colon;
	last.end = second;
	indent(text, depth);
	text_print(text, "for (");
	if (equals - 1 == words.first)
		text_print(text, "int");
	else
		copy_words(&(struct words){words.unit, words.first, equals - 1}, text);
	text_print(text, " ");
	copy_words(&name, text);
	text_print(text, " = ");
	copy_words(&first, text);
	text_print(text, "; ");
	if (step.first < step.end) {
		text_print(text, "(");
		copy_words(&step, text);
		text_print(text, ") < 0 ? ");
		copy_words(&name, text);
		text_print(text, " > (");
		copy_words(&last, text);
		text_print(text, ") : ");
	}
	copy_words(&name, text);
	text_print(text, " < (");
	copy_words(&last, text);
	text_print(text, "); ");
	copy_words(&name, text);
	text_print(text, " += ");
	if (step.first < step.end)
		copy_words(&step, text);
	else
		text_print(text, "1");
	text_print(text, ")\n");
}

/* The loops of "iterator(...)" at the beginning of WORDS; returns how many. */
static unsigned int write_loops(struct words words, struct text *text, unsigned int depth)
{
	unsigned int loops = 0;

	if (!is(&words, words.first, "iterator") || !is(&words, words.first + 1, "("))
		return 0;
	words.end = after(&words, words.first + 1) - 1;
	words.first += 2;
	while (words.first < words.end) {
		unsigned int comma = find(&words, ",");

		write_loop(up_to(&words, comma), text, depth + loops++);
		words.first = comma + 1;
	}
	return loops;
}

/* The lengths of an item's sections are not used, but their side effects happen. */
static void write_lengths(struct words item, struct text *text, unsigned int depth)
{
	unsigned int at = find(&item, "[");

	while (at < item.end) {
		unsigned int next = after(&item, at);
		struct words part = {item.unit, at + 1, next - 1};
		unsigned int colon = colon_of(&part);

		if (is(&item, at, "[") && colon < part.end)
			write_expression((struct words){item.unit, colon + 1, part.end}, "", text,
					 depth);
		at = next;
	}
}

static void write_items(struct words words, struct text *text, unsigned int depth)
{
	struct words all = words;
	bool iterates = is(&words, words.first, "iterator"), reads;

	words.first = find(&words, ":") + 1;
	if (words.first >= words.end)
		return;
	reads = is(&words, words.first - 2, "in");
	if (iterates && refuse_iterated(&words))
		return;
	while (words.first < words.end) {
		unsigned int comma = find(&words, ",");
		unsigned int loops = iterates ? write_loops(all, text, depth) : 0;

		indent(text, depth + loops);
		text_print(text, "cape_task_depend(%s, ",
			   reads ? "CAPE_DEPEND_IN" : "CAPE_DEPEND_OUT");
		write_address(up_to(&words, comma), text);
		text_print(text, ");\n");
		write_lengths(up_to(&words, comma), text, depth);
		words.first = comma + 1;
	}
}

void depend_write_task(struct unit *unit, const struct directive *task, struct text *text,
		       unsigned int depth)
{
	size_t i;

	for (i = 0; i < task->clauses.count; i++)
		if (task->clauses.items[i].kind == CLAUSE_DEPEND)
			write_items(words_of(unit, &task->clauses.items[i]), text, depth);
}
