/* SPDX-License-Identifier: GPL-2.0-or-later */
/* said.c - reads #pragma cape: its clauses, and the directive of the loop that it is about. */
#include "said.h"

#include "report.h"
#include "unit.h"

static const char *const clause_names[SAID_SETS] = {
	[SAID_READS] = "reads",
	[SAID_WRITES] = "writes",
};

/* The words of one pragma, AT the next one to read. */
struct reader {
	struct unit *unit;
	struct said *said;
	token_list words;
	unsigned int at;
};

static bool is(const struct reader *reader, unsigned int at, const char *word)
{
	return at < reader->words.count &&
	       token_is(&reader->unit->source, &reader->words.items[at], word);
}

static unsigned int offset_of(const struct reader *reader, unsigned int at)
{
	return at < reader->words.count ? reader->words.items[at].offset : reader->said->line.from;
}

/* The text of words [FIRST, END). */
static struct range text_of(const struct reader *reader, unsigned int first, unsigned int end)
{
	const struct token *words = reader->words.items;

	return first < end ? (struct range){words[first].offset, token_end(&words[end - 1])}
			   : (struct range){0, 0};
}

/* The word that closes the bracket at AT, which closes_all() has found. */
static unsigned int closing(const struct reader *reader, unsigned int at)
{
	return reader->words.items[at].match;
}

/* Where WORD stands in [AT, END), in no brackets; or END. */
static unsigned int find(const struct reader *reader, unsigned int at, unsigned int end,
			 const char *word)
{
	while (at < end && !is(reader, at, word)) {
		unsigned int match = closing(reader, at);

		at = match != NO_MATCH && match > at ? match + 1 : at + 1;
	}
	return at < end ? at : end;
}

static bool is_bracket(const struct reader *reader, unsigned int at, bool *opens)
{
	*opens = is(reader, at, "(") || is(reader, at, "[");
	return *opens || is(reader, at, ")") || is(reader, at, "]");
}

/* Whether the brackets in it belong together, and it is no more than expressions. */
static bool closes_all(const struct reader *reader)
{
	static const char *const pairs[] = {"()", "[]"};
	const char *text = reader->unit->source.text.data;

	for (unsigned int i = 0; i < reader->words.count; i++) {
		const struct token *word = &reader->words.items[i], *other;
		bool opens, fits = false;

		if (word->kind == TOKEN_STRING || is(reader, i, ";") || is(reader, i, "{") ||
		    is(reader, i, "}") || (i && is(reader, i, "#"))) {
			report_error(reader->unit, word->offset, "'%.*s' is not allowed here",
				     (int)word->length, text + word->offset);
			return false;
		}
		if (!is_bracket(reader, i, &opens))
			continue;
		other = word->match == NO_MATCH ? word : &reader->words.items[word->match];
		for (int j = 0; j < 2; j++)
			fits |= text[word->offset] == pairs[j][!opens] &&
				text[other->offset] == pairs[j][opens];
		if (fits)
			continue;
		report_error(reader->unit, word->offset, "this '%c' does not match another bracket",
			     text[word->offset]);
		return false;
	}
	return true;
}

/* -- items ------------------------------------------------------------------------------------- */

static bool read_subscript(struct reader *reader, struct said_item *item, unsigned int open)
{
	struct said_subscript *subscript = list_add(&item->subscripts);
	unsigned int close = closing(reader, open), colon = find(reader, open + 1, close, ":");
	unsigned int question = find(reader, open + 1, close, "?");

	if (question < colon) /* a choice; a range would begin with it in brackets */
		colon = close;
	subscript->bracket = text_of(reader, open, close + 1);
	subscript->is_range = colon < close;
	subscript->lower = text_of(reader, open + 1, colon);
	subscript->length = text_of(reader, colon + 1, close);
	if (!subscript->is_range && open + 1 == close) {
		report_error(reader->unit, offset_of(reader, close), "a subscript is missing");
		return false;
	}
	return true;
}

static bool read_item(struct reader *reader, enum said_set set, unsigned int first,
		      unsigned int end)
{
	struct said_item *item;

	if (first == end) {
		report_error(reader->unit, offset_of(reader, end), "an object is missing here");
		return false;
	}
	item = list_add(&reader->said->items);
	item->set = set;
	item->text = text_of(reader, first, end);
	for (unsigned int open = find(reader, first, end, "["); open < end;
	     open = find(reader, closing(reader, open) + 1, end, "["))
		if (!read_subscript(reader, item, open))
			return false;
	return true;
}

/* -- clauses ----------------------------------------------------------------------------------- */

static bool read_clause(struct reader *reader)
{
	const struct token *name = &reader->words.items[reader->at];
	unsigned int set = 0, at, close, end;

	while (set < SAID_SETS && !is(reader, reader->at, clause_names[set]))
		set++;
	if (set == SAID_SETS) {
		report_error(reader->unit, name->offset,
			     "'%.*s' is no clause of '#pragma cape': these are reads and writes",
			     (int)name->length, reader->unit->source.text.data + name->offset);
		return false;
	}
	if (!is(reader, reader->at + 1, "(")) {
		report_error(reader->unit, name->offset, "'(' is missing after '%s'",
			     clause_names[set]);
		return false;
	}
	reader->said->has[set] = true;
	at = reader->at + 2;
	close = closing(reader, reader->at + 1);
	reader->at = close + 1;
	if (at == close)
		return true;
	for (;; at = end + 1) {
		end = find(reader, at, close, ",");
		if (!read_item(reader, (enum said_set)set, at, end))
			return false;
		if (end == close)
			return true;
	}
}

static void read_clauses(struct reader *reader)
{
	reader->at = 3; /* # pragma cape */
	if (!closes_all(reader))
		return;
	if (reader->at >= reader->words.count)
		report_error(reader->unit, reader->said->line.from,
			     "'#pragma cape' says nothing: reads or writes is missing");
	while (reader->at < reader->words.count) {
		if (!read_clause(reader))
			return;
		if (is(reader, reader->at, ",") && reader->at + 1 < reader->words.count)
			reader->at++;
	}
}

/* -- the loop ---------------------------------------------------------------------------------- */

/* The directive whose line is token AT, if that is a loop's. */
static struct directive *loop_at(struct unit *unit, unsigned int at)
{
	const struct token *token = &unit->source.tokens.items[at];
	struct directive *directive;

	if (at >= unit->source.tokens.count || token->kind != TOKEN_DIRECTIVE)
		return NULL;
	directive = &unit->directives.list.items[token->match];
	return directive->kind == DIRECTIVE_FOR || directive->kind == DIRECTIVE_PARALLEL_FOR
		       ? directive
		       : NULL;
}

/* The directive right before or right after. */
static void find_loop(struct unit *unit, struct said *said)
{
	unsigned int next = source_token_at(&unit->source, said->line.from);
	struct directive *directive = next ? loop_at(unit, next - 1) : NULL;

	if (!directive)
		directive = loop_at(unit, next);
	if (!directive)
		report_error(unit, said->line.from,
			     "'#pragma cape' stands right before or after the line 'omp for' or "
			     "'omp parallel for' of a loop that a team shares out; here is none");
	else if (directive->said)
		report_error(unit, said->line.from,
			     "a second '#pragma cape' for the same loop: one has all clauses");
	else {
		said->directive = (unsigned int)(directive - unit->directives.list.items);
		directive->said = said;
	}
}

void said_read(struct unit *unit)
{
	const struct source *source = &unit->source;

	/* The list must not move: directives point into it. */
	for (size_t i = 0; i < source->pragmas.count; i++)
		((struct said *)list_add(&unit->said))->line = source->pragmas.items[i];
	for (size_t i = 0; i < unit->said.count; i++) {
		struct reader reader = {.unit = unit, .said = &unit->said.items[i]};

		source_lex_line(&unit->source, reader.said->line, &reader.words);
		read_clauses(&reader);
		list_free(&reader.words);
		find_loop(unit, reader.said);
	}
}

void said_free(said_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		for (size_t j = 0; j < list->items[i].items.count; j++)
			list_free(&list->items[i].items.items[j].subscripts);
		list_free(&list->items[i].items);
	}
	list_free(list);
}
