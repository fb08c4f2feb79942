/* SPDX-License-Identifier: GPL-2.0-or-later */
/* clause.c - the clause parser: names, variable lists, array sections, reduction operators. */
#include "clause.h"

#include <stdlib.h>
#include <string.h>

#include "unit.h"

static const char *const names[] = {
	[CLAUSE_IF] = "if",
	[CLAUSE_NUM_THREADS] = "num_threads",
	[CLAUSE_DEFAULT] = "default",
	[CLAUSE_PRIVATE] = "private",
	[CLAUSE_FIRSTPRIVATE] = "firstprivate",
	[CLAUSE_LASTPRIVATE] = "lastprivate",
	[CLAUSE_SHARED] = "shared",
	[CLAUSE_COPYIN] = "copyin",
	[CLAUSE_COPYPRIVATE] = "copyprivate",
	[CLAUSE_REDUCTION] = "reduction",
	[CLAUSE_SCHEDULE] = "schedule",
	[CLAUSE_COLLAPSE] = "collapse",
	[CLAUSE_NOWAIT] = "nowait",
	[CLAUSE_LIST] = "list",
};

static const char *const ignored[] = {"proc_bind", "safelen",	  "simdlen",
				      "aligned",   "nontemporal", NULL};
static const char *const not_supported[] = {"ordered",	    "linear",	      "allocate",
					    "in_reduction", "task_reduction", "order",
					    "bind",	    "filter",	      NULL};

static const struct {
	const char *word;
	const char *name;
	bool zero; /* the identity */
} operators[] = {
	{"+", "CAPE_ADD", true},	   {"-", "CAPE_ADD", true},
	{"*", "CAPE_MULTIPLY", false},	   {"&", "CAPE_BIT_AND", false},
	{"|", "CAPE_BIT_OR", true},	   {"^", "CAPE_BIT_XOR", true},
	{"&&", "CAPE_LOGICAL_AND", false}, {"||", "CAPE_LOGICAL_OR", true},
	{"min", "CAPE_MIN", false},	   {"max", "CAPE_MAX", false},
};

const char *clause_name(enum clause_kind kind)
{
	return kind == CLAUSE_IGNORED ? "simd" : names[kind];
}

static bool is_word(const struct clause_reader *reader, unsigned int at, const char *word)
{
	return at < reader->end && token_is(&reader->unit->source, &reader->words[at], word);
}

static const char *spelling(const struct clause_reader *reader, const struct token *word)
{
	return reader->unit->source.text.data + word->offset;
}

/* Where to point when word AT is missing: at it, or at the last one there is. */
static unsigned int error_offset(const struct clause_reader *reader, unsigned int at)
{
	return reader->words[at < reader->end ? at : reader->end - 1].offset;
}

static struct range text_between(const struct clause_reader *reader, unsigned int first,
				 unsigned int end)
{
	if (first >= end)
		return (struct range){0, 0};
	return (struct range){reader->words[first].offset, token_end(&reader->words[end - 1])};
}

/* The index of WORD outside brackets in [AT, END), or END. */
static unsigned int find_outside(const struct clause_reader *reader, unsigned int at,
				 unsigned int end, const char *word)
{
	while (at < end) {
		unsigned int match = reader->words[at].match;

		if (is_word(reader, at, word))
			return at;
		at = match != NO_MATCH && match > at ? match + 1 : at + 1;
	}
	return end;
}

static bool read_section(struct clause_reader *reader, struct item *item)
{
	unsigned int first = reader->at + 1, end = reader->words[reader->at].match, colon;
	struct array_section *section = &item->sections[item->section_count];

	if (end == NO_MATCH || item->section_count == MAX_SECTIONS) {
		report_error(reader->unit, error_offset(reader, reader->at),
			     end == NO_MATCH ? "']' is missing" : "too many subscripts");
		return false;
	}
	colon = find_outside(reader, first, end, ":");
	section->is_range = colon < end;
	section->lower = text_between(reader, first, colon);
	section->length = text_between(reader, colon + 1, end);
	if (!section->is_range && first == end) {
		report_error(reader->unit, error_offset(reader, end), "a subscript is missing");
		return false;
	}
	item->section_count++;
	reader->at = end + 1;
	return true;
}

/* Reads "a, b[0:n]" up to END. */
static bool read_items(struct clause_reader *reader, struct clause *clause, unsigned int end)
{
	for (;;) {
		const struct token *word = &reader->words[reader->at];
		struct item *item;

		if (reader->at >= end || word->kind != TOKEN_NAME) {
			report_error(reader->unit, error_offset(reader, reader->at),
				     "'%s' names no variable here", clause_name(clause->kind));
			return false;
		}
		item = list_add(&clause->items);
		item->offset = word->offset;
		item->length = word->length;
		item->variable = NO_VARIABLE;
		reader->at++;
		while (is_word(reader, reader->at, "["))
			if (!read_section(reader, item))
				return false;
		if (item->section_count && clause->kind != CLAUSE_REDUCTION) {
			report_error(reader->unit, item->offset,
				     "an array section can only stand in 'reduction'");
			return false;
		}
		if (reader->at == end)
			return true;
		if (!is_word(reader, reader->at, ",")) {
			report_error(reader->unit, error_offset(reader, reader->at),
				     "expected ',' or ')'");
			return false;
		}
		reader->at++;
	}
}

static bool read_reduction(struct clause_reader *reader, struct clause *clause, unsigned int end)
{
	const struct token *word = &reader->words[reader->at];
	size_t i;

	if (!is_word(reader, reader->at + 1, ":")) {
		report_error(reader->unit, word->offset,
			     "'reduction' has the form reduction(operator: variables)");
		return false;
	}
	for (i = 0; i < sizeof operators / sizeof *operators; i++)
		if (token_is(&reader->unit->source, word, operators[i].word)) {
			clause->operator_name = operators[i].name;
			clause->logical_or_sum = operators[i].zero;
			reader->at += 2;
			return read_items(reader, clause, end);
		}
	report_error(reader->unit, word->offset,
		     "the reduction operator '%.*s' is not supported yet; there are "
		     "+ - * & | ^ && || min max",
		     (int)word->length, spelling(reader, word));
	return false;
}

static bool read_schedule(struct clause_reader *reader, struct clause *clause, unsigned int end)
{
	const struct token *word = &reader->words[reader->at];
	bool automatic = is_word(reader, reader->at, "auto");

	if (is_word(reader, reader->at, "dynamic") || is_word(reader, reader->at, "guided") ||
	    is_word(reader, reader->at, "runtime")) {
		report_error(reader->unit, word->offset,
			     "schedule(%.*s) is not supported yet; use schedule(static)",
			     (int)word->length, spelling(reader, word));
		return false;
	}
	if (!automatic && !is_word(reader, reader->at, "static")) {
		report_error(reader->unit, error_offset(reader, reader->at),
			     "unknown kind of schedule");
		return false;
	}
	clause->argument = (struct range){0, 0};
	if (++reader->at == end)
		return true;
	clause->argument = text_between(reader, reader->at + 1, end);
	if (automatic || !is_word(reader, reader->at, ",") || !clause->argument.to) {
		report_error(reader->unit, error_offset(reader, reader->at),
			     "expected ')' or a chunk size");
		return false;
	}
	word = &reader->words[reader->at + 1];
	if (reader->at + 2 == end && word->kind == TOKEN_NUMBER &&
	    strtoul(spelling(reader, word), NULL, 0) == 0) {
		report_error(reader->unit, word->offset, "the chunk size must be at least 1");
		return false;
	}
	return true;
}

static bool read_collapse(struct clause_reader *reader, struct clause *clause, unsigned int end)
{
	const struct token *word = &reader->words[reader->at];
	char *rest;

	clause->number = strtoul(spelling(reader, word), &rest, 0);
	if (reader->at + 1 != end || rest != spelling(reader, word) + word->length ||
	    clause->number < 1 || clause->number > 16) {
		report_error(reader->unit, word->offset,
			     "collapse needs a constant number of loops, 1 to 16");
		return false;
	}
	return true;
}

static bool read_default(struct clause_reader *reader, struct clause *clause, unsigned int end)
{
	clause->none = is_word(reader, reader->at, "none");
	if (reader->at + 1 == end && (clause->none || is_word(reader, reader->at, "shared")))
		return true;
	report_error(reader->unit, error_offset(reader, reader->at),
		     "default is either 'shared' or 'none'");
	return false;
}

/* What stands between the parentheses, [reader->at, END). */
static bool read_argument(struct clause_reader *reader, struct clause *clause, unsigned int end)
{
	clause->argument = text_between(reader, reader->at, end);
	switch (clause->kind) {
	case CLAUSE_IF:
		if (is_word(reader, reader->at, "parallel") && is_word(reader, reader->at + 1, ":"))
			clause->argument = text_between(reader, reader->at + 2, end);
		break;
	case CLAUSE_DEFAULT:
		return read_default(reader, clause, end);
	case CLAUSE_REDUCTION:
		return read_reduction(reader, clause, end);
	case CLAUSE_SCHEDULE:
		return read_schedule(reader, clause, end);
	case CLAUSE_COLLAPSE:
		return read_collapse(reader, clause, end);
	case CLAUSE_NUM_THREADS:
	case CLAUSE_IGNORED:
	case CLAUSE_NOWAIT:
		break;
	default:
		return read_items(reader, clause, end);
	}
	return true;
}

static bool read_clause_kind(struct clause_reader *reader, struct clause *clause)
{
	const struct token *word = &reader->words[reader->at];
	int i;

	for (i = 0; i < CLAUSE_LIST; i++)
		if (is_word(reader, reader->at, names[i])) {
			clause->kind = (enum clause_kind)i;
			return true;
		}
	for (i = 0; ignored[i]; i++)
		if (is_word(reader, reader->at, ignored[i])) {
			clause->kind = CLAUSE_IGNORED;
			return true;
		}
	for (i = 0; not_supported[i]; i++)
		if (is_word(reader, reader->at, not_supported[i])) {
			report_error(reader->unit, word->offset,
				     "the clause '%s' is not supported yet", not_supported[i]);
			return false;
		}
	report_error(reader->unit, word->offset, "unknown clause '%.*s'", (int)word->length,
		     spelling(reader, word));
	return false;
}

static bool read_clause(struct clause_reader *reader, struct clause *clause)
{
	unsigned int open = reader->at + 1, close;

	clause->offset = reader->words[reader->at].offset;
	if (!read_clause_kind(reader, clause))
		return false;
	reader->at++;
	if (clause->kind == CLAUSE_NOWAIT)
		return true;
	if (!is_word(reader, open, "(") || reader->words[open].match == NO_MATCH) {
		report_error(reader->unit, clause->offset,
			     "'%.*s' needs an argument in parentheses",
			     (int)reader->words[open - 1].length,
			     spelling(reader, &reader->words[open - 1]));
		return false;
	}
	close = reader->words[open].match;
	if (close == open + 1) {
		report_error(reader->unit, reader->words[close].offset,
			     clause->kind >= CLAUSE_PRIVATE && clause->kind <= CLAUSE_REDUCTION
				     ? "the clause names no variable"
				     : "the argument is missing");
		return false;
	}
	reader->at = open + 1;
	if (!read_argument(reader, clause, close))
		return false;
	reader->at = close + 1;
	return true;
}

bool clauses_read(struct clause_reader *reader, struct directive *directive)
{
	bool first = true;

	while (reader->at < reader->end) {
		if (!first && is_word(reader, reader->at, ",") && reader->at + 1 < reader->end)
			reader->at++;
		first = false;
		if (!read_clause(reader, list_add(&directive->clauses)))
			return false;
	}
	return true;
}

bool clause_read_list(struct clause_reader *reader, struct directive *directive)
{
	struct clause *clause;
	unsigned int close;

	if (!is_word(reader, reader->at, "(") || reader->words[reader->at].match == NO_MATCH) {
		if (directive->kind == DIRECTIVE_FLUSH)
			return true;
		report_error(reader->unit, directive->name,
			     "threadprivate needs a list of variables in parentheses");
		return false;
	}
	clause = list_add(&directive->clauses);
	clause->kind = CLAUSE_LIST;
	clause->offset = reader->words[reader->at].offset;
	close = reader->words[reader->at++].match;
	if (!read_items(reader, clause, close))
		return false;
	reader->at = close + 1;
	return true;
}
