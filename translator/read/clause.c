/* SPDX-License-Identifier: GPL-2.0-or-later */
/* clause.c - the clause parser: names, variable lists, array sections, reduction operators. */
#include "clause.h"

#include <stdlib.h>
#include <string.h>

#include "report.h"
#include "unit.h"

enum arguments {
	ARGUMENT_NONE,
	ARGUMENT_OPTIONAL,
	ARGUMENT_NEEDED,
};

static const struct {
	const char *word;
	enum clause_kind kind;
	enum arguments argument;
} clauses[] = {
	{"if", CLAUSE_IF, ARGUMENT_NEEDED},
	{"num_threads", CLAUSE_NUM_THREADS, ARGUMENT_NEEDED},
	{"default", CLAUSE_DEFAULT, ARGUMENT_NEEDED},
	{"private", CLAUSE_PRIVATE, ARGUMENT_NEEDED},
	{"firstprivate", CLAUSE_FIRSTPRIVATE, ARGUMENT_NEEDED},
	{"lastprivate", CLAUSE_LASTPRIVATE, ARGUMENT_NEEDED},
	{"shared", CLAUSE_SHARED, ARGUMENT_NEEDED},
	{"copyin", CLAUSE_COPYIN, ARGUMENT_NEEDED},
	{"copyprivate", CLAUSE_COPYPRIVATE, ARGUMENT_NEEDED},
	{"reduction", CLAUSE_REDUCTION, ARGUMENT_NEEDED},
	{"in_reduction", CLAUSE_IN_REDUCTION, ARGUMENT_NEEDED},
	{"task_reduction", CLAUSE_TASK_REDUCTION, ARGUMENT_NEEDED},
	{"schedule", CLAUSE_SCHEDULE, ARGUMENT_NEEDED},
	{"collapse", CLAUSE_COLLAPSE, ARGUMENT_NEEDED},
	{"nowait", CLAUSE_NOWAIT, ARGUMENT_NONE},
	{"ordered", CLAUSE_ORDERED, ARGUMENT_OPTIONAL},
	{"linear", CLAUSE_LINEAR, ARGUMENT_NEEDED},
	{"final", CLAUSE_FINAL, ARGUMENT_NEEDED},
	{"filter", CLAUSE_FILTER, ARGUMENT_NEEDED},
	{"read", CLAUSE_ACCESS, ARGUMENT_NONE},
	{"write", CLAUSE_ACCESS, ARGUMENT_NONE},
	{"update", CLAUSE_ACCESS, ARGUMENT_NONE},
	{"capture", CLAUSE_ACCESS, ARGUMENT_NONE},
	{"compare", CLAUSE_ACCESS, ARGUMENT_NONE},
	{"seq_cst", CLAUSE_MEMORY_ORDER, ARGUMENT_NONE},
	{"acq_rel", CLAUSE_MEMORY_ORDER, ARGUMENT_NONE},
	{"acquire", CLAUSE_MEMORY_ORDER, ARGUMENT_NONE},
	{"release", CLAUSE_MEMORY_ORDER, ARGUMENT_NONE},
	{"relaxed", CLAUSE_MEMORY_ORDER, ARGUMENT_NONE},
	{"fail", CLAUSE_LOCK_HINT, ARGUMENT_NEEDED},
	{"weak", CLAUSE_LOCK_HINT, ARGUMENT_NONE},
	{"hint", CLAUSE_LOCK_HINT, ARGUMENT_NEEDED},
	{"map", CLAUSE_MAP, ARGUMENT_NEEDED},
	{"safelen", CLAUSE_SIMD_HINT, ARGUMENT_NEEDED},
	{"simdlen", CLAUSE_SIMD_HINT, ARGUMENT_NEEDED},
	{"aligned", CLAUSE_SIMD_HINT, ARGUMENT_NEEDED},
	{"nontemporal", CLAUSE_SIMD_HINT, ARGUMENT_NEEDED},
	{"proc_bind", CLAUSE_PROC_BIND, ARGUMENT_NEEDED},
	{"order", CLAUSE_ORDER, ARGUMENT_NEEDED},
	{"bind", CLAUSE_BIND, ARGUMENT_NEEDED},
	{"untied", CLAUSE_TASK_HINT, ARGUMENT_NONE},
	{"mergeable", CLAUSE_TASK_HINT, ARGUMENT_NONE},
	{"priority", CLAUSE_PRIORITY, ARGUMENT_NEEDED},
	{"affinity", CLAUSE_TASK_HINT, ARGUMENT_NEEDED},
	{"grainsize", CLAUSE_GRAIN, ARGUMENT_NEEDED},
	{"num_tasks", CLAUSE_GRAIN, ARGUMENT_NEEDED},
	{"nogroup", CLAUSE_NOGROUP, ARGUMENT_NONE},
	{"depend", CLAUSE_DEPEND, ARGUMENT_NEEDED},
	{"device", CLAUSE_DEVICE_HINT, ARGUMENT_NEEDED},
	{"num_teams", CLAUSE_NUM_TEAMS, ARGUMENT_NEEDED},
	{"thread_limit", CLAUSE_THREAD_LIMIT, ARGUMENT_NEEDED},
	{"dist_schedule", CLAUSE_DEVICE_HINT, ARGUMENT_NEEDED},
	{"defaultmap", CLAUSE_DEVICE_HINT, ARGUMENT_NEEDED},
	{"is_device_ptr", CLAUSE_DEVICE_HINT, ARGUMENT_NEEDED},
	{"has_device_addr", CLAUSE_DEVICE_HINT, ARGUMENT_NEEDED},
	{"threads", CLAUSE_ORDERED_HINT, ARGUMENT_NONE},
	{"simd", CLAUSE_ORDERED_HINT, ARGUMENT_NONE},
};

static const struct {
	const char *word;
	const char *instead;
} not_supported[] = {
	{"allocate", "call omp_alloc(), or declare the variable with the alignment that it needs"},
	{"detach", "let the task end when its work is done, and wait inside it"},
	{"uses_allocators", "there is no device but the host; remove it"},
	{"inclusive", "let each thread sum its block, then a single construct the blocks' sums"},
	{"exclusive", "let each thread sum its block, then a single construct the blocks' sums"},
};

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

bool reader_is(const struct clause_reader *reader, unsigned int at, const char *word)
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

struct range reader_text(const struct clause_reader *reader, unsigned int first, unsigned int end)
{
	if (first >= end)
		return (struct range){0, 0};
	return (struct range){reader->words[first].offset, token_end(&reader->words[end - 1])};
}

unsigned int reader_find(const struct clause_reader *reader, unsigned int at, unsigned int end,
			 const char *word)
{
	while (at < end) {
		unsigned int match = reader->words[at].match;

		if (reader_is(reader, at, word))
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
	colon = reader_find(reader, first, end, ":");
	section->is_range = colon < end;
	section->lower = reader_text(reader, first, colon);
	section->length = reader_text(reader, colon + 1, end);
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
	if (clause->kind == CLAUSE_LASTPRIVATE && reader_is(reader, reader->at, "conditional") &&
	    reader_is(reader, reader->at + 1, ":")) {
		report_error(reader->unit, reader->words[reader->at].offset,
			     "'lastprivate(conditional: ...)' is not supported: keep the number of "
			     "the last iteration that assigns by reduction(max: ...), and compute "
			     "the value from it after the loop");
		return false;
	}
	for (;;) {
		const struct token *word = &reader->words[reader->at];
		struct item *item;

		if (reader->at >= end || word->kind != TOKEN_NAME) {
			report_error(reader->unit, error_offset(reader, reader->at),
				     "'%s' names no variable here", clause->name);
			return false;
		}
		item = list_add(&clause->items);
		item->offset = word->offset;
		item->length = word->length;
		item->variable = NO_VARIABLE;
		reader->at++;
		while (reader_is(reader, reader->at, "["))
			if (!read_section(reader, item))
				return false;
		if (item->section_count && !is_reduction(clause->kind)) {
			report_error(reader->unit, item->offset,
				     "an array section is only allowed in a reduction");
			return false;
		}
		if (reader->at == end)
			return true;
		if (!reader_is(reader, reader->at, ",")) {
			report_error(reader->unit, error_offset(reader, reader->at),
				     "expected ',' or ')'");
			return false;
		}
		reader->at++;
	}
}

/* What may stand before the operator; false when an error was reported. */
static bool read_modifier(struct clause_reader *reader, struct clause *clause)
{
	if (!reader_is(reader, reader->at + 1, ","))
		return true;
	if (reader_is(reader, reader->at, "inscan")) {
		report_error(
			reader->unit, reader->words[reader->at].offset,
			"'reduction(inscan, ...)' with 'omp scan' (prefix sums) is not supported: "
			"let each thread sum its block, then a single construct the sums of the "
			"blocks, then each thread add the sums before its own");
		return false;
	}
	clause->of_tasks = reader_is(reader, reader->at, "task");
	if (clause->of_tasks || reader_is(reader, reader->at, "default"))
		reader->at += 2;
	return true;
}

static bool read_reduction(struct clause_reader *reader, struct clause *clause, unsigned int end)
{
	const struct token *word;
	size_t i;

	clause->of_tasks = clause->kind == CLAUSE_TASK_REDUCTION;
	if (clause->kind == CLAUSE_REDUCTION && !read_modifier(reader, clause))
		return false;
	word = &reader->words[reader->at];
	if (!reader_is(reader, reader->at + 1, ":")) {
		report_error(reader->unit, word->offset,
			     "'%s' has the form %s(operator: variables)", clause->name,
			     clause->name);
		return false;
	}
	clause->identifier = reader_text(reader, reader->at, reader->at + 1);
	for (i = 0; i < sizeof operators / sizeof *operators; i++)
		if (token_is(&reader->unit->source, word, operators[i].word)) {
			clause->operator_name = operators[i].name;
			clause->logical_or_sum = operators[i].zero;
		}
	reader->at += 2;
	return read_items(reader, clause, end);
}

static bool read_schedule(struct clause_reader *reader, struct clause *clause, unsigned int end)
{
	static const struct {
		const char *word;
		const char *call;
		bool chunk;
	} schedules[] = {
		{"static", "cape_schedule_static", true},
		{"dynamic", "cape_schedule_dynamic", true},
		{"guided", "cape_schedule_guided", true},
		{"auto", NULL, false},
		{"runtime", "cape_schedule_runtime", false},
	};
	unsigned int colon = reader_find(reader, reader->at, end, ":");
	const struct token *word;
	size_t i;

	if (colon < end) /* monotonic, nonmonotonic, simd */
		reader->at = colon + 1;
	clause->argument = (struct range){0, 0};
	for (i = 0; i < sizeof schedules / sizeof *schedules; i++)
		if (reader_is(reader, reader->at, schedules[i].word))
			break;
	if (i == sizeof schedules / sizeof *schedules) {
		report_error(reader->unit, error_offset(reader, reader->at),
			     "unknown kind of schedule");
		return false;
	}
	clause->call = schedules[i].call;
	if (++reader->at == end)
		return true;
	clause->argument = reader_text(reader, reader->at + 1, end);
	if (!schedules[i].chunk || !reader_is(reader, reader->at, ",") || !clause->argument.to) {
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

static bool read_default(struct clause_reader *reader, struct clause *clause, unsigned int end)
{
	clause->none = reader_is(reader, reader->at, "none");
	if (reader->at + 1 == end && (clause->none || reader_is(reader, reader->at, "shared")))
		return true;
	if (reader->at + 1 == end && (reader_is(reader, reader->at, "private") ||
				      reader_is(reader, reader->at, "firstprivate")))
		report_error(reader->unit, error_offset(reader, reader->at),
			     "'default(%.*s)' is not supported: name the variables in a clause "
			     "'%.*s'",
			     (int)reader->words[reader->at].length,
			     spelling(reader, &reader->words[reader->at]),
			     (int)reader->words[reader->at].length,
			     spelling(reader, &reader->words[reader->at]));
	else
		report_error(reader->unit, error_offset(reader, reader->at),
			     "default is either 'shared' or 'none'");
	return false;
}

/* order([modifier:] concurrent): what is not unconstrained is reproducible. */
static bool read_concurrent(struct clause_reader *reader, struct clause *clause, unsigned int end)
{
	bool modified = reader_is(reader, reader->at + 1, ":");

	clause->fixed = !modified || reader_is(reader, reader->at, "reproducible");
	if (modified && (clause->fixed || reader_is(reader, reader->at, "unconstrained")))
		reader->at += 2;
	if (reader->at + 1 == end && reader_is(reader, reader->at, "concurrent"))
		return true;
	report_error(reader->unit, error_offset(reader, reader->at),
		     "'order' has the form order(concurrent), order(reproducible: concurrent) or "
		     "order(unconstrained: concurrent)");
	return false;
}

static bool read_bind(struct clause_reader *reader, unsigned int end)
{
	if (reader->at + 1 == end &&
	    (reader_is(reader, reader->at, "parallel") || reader_is(reader, reader->at, "teams") ||
	     reader_is(reader, reader->at, "thread")))
		return true;
	report_error(reader->unit, error_offset(reader, reader->at),
		     "bind is one of 'parallel', 'teams' and 'thread'");
	return false;
}

/* if([directive:] condition); a condition for another part of a combined directive says nothing. */
static void read_condition(struct clause_reader *reader, struct clause *clause, unsigned int end)
{
	unsigned int colon = reader->at + 1;

	if (reader->words[reader->at].kind == TOKEN_NAME && reader_is(reader, colon, "data"))
		colon++;
	if (!reader_is(reader, colon, ":"))
		return;
	if (!reader_is(reader, reader->at, "parallel") && !reader_is(reader, reader->at, "task") &&
	    !reader_is(reader, reader->at, "taskloop"))
		clause->kind = CLAUSE_NO_CODE;
	clause->argument = reader_text(reader, colon + 1, end);
}

static bool read_linear(struct clause_reader *reader, struct clause *clause, unsigned int end)
{
	unsigned int colon = reader_find(reader, reader->at, end, ":"), step = colon + 1;

	if (reader_is(reader, step, "step") && reader_is(reader, step + 1, "(") &&
	    reader->words[step + 1].match + 1 == end)
		step++;
	clause->argument = reader_text(reader, step, end);
	return read_items(reader, clause, colon);
}

/* grainsize([strict:] size), num_tasks([strict:] number), which is strict in any case. */
static void read_grain(struct clause_reader *reader, struct clause *clause, unsigned int end)
{
	bool strict =
		reader_is(reader, reader->at, "strict") && reader_is(reader, reader->at + 1, ":");

	if (strict)
		clause->argument = reader_text(reader, reader->at + 2, end);
	if (!strcmp(clause->name, "num_tasks"))
		clause->call = "CAPE_TASKLOOP_NUMBER";
	else
		clause->call = strict ? "CAPE_TASKLOOP_STRICT" : "CAPE_TASKLOOP_SIZE";
}

/* num_teams([lower:] upper): a league has one team here. */
static bool read_num_teams(struct clause_reader *reader, struct clause *clause, unsigned int end)
{
	unsigned int colon = reader_find(reader, reader->at, end, ":");

	if (colon == end || reader_find(reader, reader->at, colon, "?") < colon)
		return true;
	clause->argument = reader_text(reader, colon + 1, end);
	if (colon == reader->at + 1 && reader_is(reader, reader->at, "1"))
		return true;
	report_error(reader->unit, reader->words[reader->at].offset,
		     "'num_teams' with a lower bound is not supported: a league has one team here; "
		     "remove the bound if one team is enough");
	return false;
}

static bool read_order(struct clause_reader *reader, struct clause *clause, unsigned int end)
{
	if (clause->kind != CLAUSE_ORDERED)
		return true;
	report_error(reader->unit, reader->words[reader->at].offset,
		     "'ordered(%.*s)' (a loop with dependences between iterations) is not "
		     "supported; use the clause 'ordered' without an argument",
		     (int)(reader->words[end - 1].offset + reader->words[end - 1].length -
			   reader->words[reader->at].offset),
		     spelling(reader, &reader->words[reader->at]));
	return false;
}

/* What stands between the parentheses, [reader->at, END). */
static bool read_argument(struct clause_reader *reader, struct clause *clause, unsigned int end)
{
	clause->argument = reader_text(reader, reader->at, end);
	switch (clause->kind) {
	case CLAUSE_IF:
		read_condition(reader, clause, end);
		return true;
	case CLAUSE_DEFAULT:
		return read_default(reader, clause, end);
	case CLAUSE_REDUCTION:
	case CLAUSE_IN_REDUCTION:
	case CLAUSE_TASK_REDUCTION:
		return read_reduction(reader, clause, end);
	case CLAUSE_SCHEDULE:
		return read_schedule(reader, clause, end);
	case CLAUSE_ORDER:
		return read_concurrent(reader, clause, end);
	case CLAUSE_BIND:
		return read_bind(reader, end);
	case CLAUSE_GRAIN:
		read_grain(reader, clause, end);
		return true;
	case CLAUSE_NUM_TEAMS:
		return read_num_teams(reader, clause, end);
	case CLAUSE_LINEAR:
		return read_linear(reader, clause, end);
	case CLAUSE_ORDERED:
		return read_order(reader, clause, end);
	case CLAUSE_SHARED:
	case CLAUSE_PRIVATE:
	case CLAUSE_FIRSTPRIVATE:
	case CLAUSE_LASTPRIVATE:
	case CLAUSE_COPYIN:
	case CLAUSE_COPYPRIVATE:
		return read_items(reader, clause, end);
	default:
		return true;
	}
}

/* The row of the clause at the next word, or -1 when an error was reported. */
static int find_clause(struct clause_reader *reader)
{
	const struct token *word = &reader->words[reader->at];
	size_t i;

	for (i = 0; i < sizeof clauses / sizeof *clauses; i++)
		if (reader_is(reader, reader->at, clauses[i].word))
			return (int)i;
	for (i = 0; i < sizeof not_supported / sizeof *not_supported; i++)
		if (reader_is(reader, reader->at, not_supported[i].word)) {
			report_error(reader->unit, word->offset,
				     "the clause '%s' is not supported: %s", not_supported[i].word,
				     not_supported[i].instead);
			return -1;
		}
	report_error(reader->unit, word->offset, "unknown clause '%.*s'", (int)word->length,
		     spelling(reader, word));
	return -1;
}

static bool read_clause(struct clause_reader *reader, struct clause *clause)
{
	unsigned int open = reader->at + 1, close;
	int row = find_clause(reader);

	if (row < 0)
		return false;
	clause->offset = reader->words[reader->at].offset;
	clause->kind = clauses[row].kind;
	clause->name = clauses[row].word;
	reader->at++;
	if (clauses[row].argument == ARGUMENT_NONE ||
	    (clauses[row].argument == ARGUMENT_OPTIONAL && !reader_is(reader, open, "(")))
		return true;
	if (!reader_is(reader, open, "(") || reader->words[open].match == NO_MATCH) {
		report_error(reader->unit, clause->offset, "'%s' needs an argument in parentheses",
			     clause->name);
		return false;
	}
	close = reader->words[open].match;
	if (close == open + 1) {
		report_error(reader->unit, reader->words[close].offset,
			     is_sharing(clause->kind) ? "the clause names no variable"
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
		if (!first && reader_is(reader, reader->at, ",") && reader->at + 1 < reader->end)
			reader->at++;
		first = false;
		if (!read_clause(reader, list_add(&directive->clauses)))
			return false;
	}
	return true;
}

/* The bracket that closes an argument at the next word; 0 when there is none. */
static unsigned int argument_end(const struct clause_reader *reader)
{
	if (!reader_is(reader, reader->at, "(") || reader->words[reader->at].match == NO_MATCH)
		return 0;
	return reader->words[reader->at].match;
}

bool clause_read_name(struct clause_reader *reader, struct directive *directive)
{
	unsigned int close = argument_end(reader);

	if (!close)
		return true;
	if (close != reader->at + 2 || reader->words[reader->at + 1].kind != TOKEN_NAME) {
		report_error(reader->unit, reader->words[reader->at].offset,
			     "expected one name in parentheses");
		return false;
	}
	directive->argument = reader_text(reader, reader->at + 1, close);
	reader->at = close + 1;
	return true;
}

bool clause_read_list(struct clause_reader *reader, struct directive *directive)
{
	unsigned int close = argument_end(reader);
	struct clause *clause;

	if (!close) {
		if (directive->kind == DIRECTIVE_FLUSH)
			return true;
		report_error(reader->unit, directive->name,
			     "threadprivate needs a list of variables in parentheses");
		return false;
	}
	clause = list_add(&directive->clauses);
	clause->kind = CLAUSE_LIST;
	clause->name = "list";
	clause->offset = reader->words[reader->at++].offset;
	if (!read_items(reader, clause, close))
		return false;
	reader->at = close + 1;
	return true;
}
