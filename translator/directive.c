/* SPDX-License-Identifier: GPL-2.0-or-later */
/* directive.c - the directives: which there are, what each may carry, what is not supported. */
#include "directive.h"

#include <string.h>

#include "clause.h"
#include "unit.h"

#define BIT(kind) (1u << (kind))
#define DATA	  (BIT(CLAUSE_PRIVATE) | BIT(CLAUSE_FIRSTPRIVATE))
#define PARALLEL                                                                                   \
	(DATA | BIT(CLAUSE_IF) | BIT(CLAUSE_NUM_THREADS) | BIT(CLAUSE_DEFAULT) |                   \
	 BIT(CLAUSE_SHARED) | BIT(CLAUSE_COPYIN) | BIT(CLAUSE_REDUCTION) | BIT(CLAUSE_IGNORED))
#define LOOP                                                                                       \
	(DATA | BIT(CLAUSE_LASTPRIVATE) | BIT(CLAUSE_REDUCTION) | BIT(CLAUSE_SCHEDULE) |           \
	 BIT(CLAUSE_COLLAPSE))
#define SECTIONS (DATA | BIT(CLAUSE_LASTPRIVATE) | BIT(CLAUSE_REDUCTION))
#define SIMD                                                                                       \
	(BIT(CLAUSE_PRIVATE) | BIT(CLAUSE_LASTPRIVATE) | BIT(CLAUSE_REDUCTION) |                   \
	 BIT(CLAUSE_COLLAPSE) | BIT(CLAUSE_IGNORED))

static const struct {
	const char *name;
	unsigned int clauses; /* the kinds that may stand on it */
} kinds[] = {
	[DIRECTIVE_PARALLEL] = {"parallel", PARALLEL},
	[DIRECTIVE_FOR] = {"for", LOOP | BIT(CLAUSE_NOWAIT)},
	[DIRECTIVE_PARALLEL_FOR] = {"parallel for", PARALLEL | LOOP},
	[DIRECTIVE_SECTIONS] = {"sections", SECTIONS | BIT(CLAUSE_NOWAIT)},
	[DIRECTIVE_PARALLEL_SECTIONS] = {"parallel sections", PARALLEL | SECTIONS},
	[DIRECTIVE_SECTION] = {"section", 0},
	[DIRECTIVE_SINGLE] = {"single", DATA | BIT(CLAUSE_COPYPRIVATE) | BIT(CLAUSE_NOWAIT)},
	[DIRECTIVE_MASTER] = {"master", 0},
	[DIRECTIVE_BARRIER] = {"barrier", 0},
	[DIRECTIVE_FLUSH] = {"flush", 0},
	[DIRECTIVE_THREADPRIVATE] = {"threadprivate", 0},
	[DIRECTIVE_SIMD] = {"simd", SIMD},
	[DIRECTIVE_IGNORED] = {"declare simd", 0},
};

static const char *const not_supported[] = {
	"critical",  "atomic",	      "ordered",      "task",	 "taskwait",   "taskgroup",
	"taskyield", "taskloop",      "target",	      "teams",	 "distribute", "cancel",
	"declare",   "scan",	      "cancellation", "loop",	 "masked",     "scope",
	"requires",  "assume",	      "assumes",      "interop", "dispatch",   "depobj",
	"allocate",  "metadirective", "tile",	      "unroll",	 "error",      "nothing",
	"begin",     "end",	      NULL,
};

const char *directive_name(enum directive_kind kind)
{
	return kinds[kind].name;
}

bool is_parallel(enum directive_kind kind)
{
	return kind == DIRECTIVE_PARALLEL || kind == DIRECTIVE_PARALLEL_FOR ||
	       kind == DIRECTIVE_PARALLEL_SECTIONS;
}

bool is_loop(enum directive_kind kind)
{
	return kind == DIRECTIVE_FOR || kind == DIRECTIVE_PARALLEL_FOR;
}

bool is_sections(enum directive_kind kind)
{
	return kind == DIRECTIVE_SECTIONS || kind == DIRECTIVE_PARALLEL_SECTIONS;
}

bool is_worksharing(enum directive_kind kind)
{
	return is_loop(kind) || is_sections(kind) || kind == DIRECTIVE_SECTION ||
	       kind == DIRECTIVE_SINGLE;
}

bool has_body(enum directive_kind kind)
{
	return kind <= DIRECTIVE_MASTER || kind == DIRECTIVE_SIMD;
}

struct clause *directive_clause(const struct directive *directive, enum clause_kind kind)
{
	size_t i;

	for (i = 0; i < directive->clauses.count; i++)
		if (directive->clauses.items[i].kind == kind)
			return &directive->clauses.items[i];
	return NULL;
}

static bool take(struct clause_reader *reader, const char *word)
{
	if (reader->at >= reader->end ||
	    !token_is(&reader->unit->source, &reader->words[reader->at], word))
		return false;
	reader->at++;
	return true;
}

/* The names behind "omp"; false when an error was reported. */
static bool read_kind(struct clause_reader *reader, struct directive *directive)
{
	const struct token *first = &reader->words[reader->at];
	struct source *source = &reader->unit->source;
	int i;

	directive->name = reader->at < reader->end ? first->offset : directive->offset;
	if (take(reader, "parallel")) {
		directive->kind = DIRECTIVE_PARALLEL;
		if (take(reader, "for"))
			directive->kind = DIRECTIVE_PARALLEL_FOR;
		else if (take(reader, "sections"))
			directive->kind = DIRECTIVE_PARALLEL_SECTIONS;
		if (directive->kind == DIRECTIVE_PARALLEL_FOR)
			directive->simd = take(reader, "simd");
	} else if (take(reader, "for")) {
		directive->kind = DIRECTIVE_FOR;
		directive->simd = take(reader, "simd");
	} else if (reader->at + 1 < reader->end && token_is(source, first, "declare") &&
		   token_is(source, first + 1, "simd")) {
		directive->kind = DIRECTIVE_IGNORED;
		reader->at = reader->end;
	} else {
		for (i = DIRECTIVE_SECTIONS; i <= DIRECTIVE_SIMD; i++)
			if (take(reader, kinds[i].name)) {
				directive->kind = (enum directive_kind)i;
				return true;
			}
		if (reader->at >= reader->end) {
			report_error(reader->unit, directive->offset,
				     "'#pragma omp' names no directive");
			return false;
		}
		for (i = 0; not_supported[i]; i++)
			if (token_is(source, first, not_supported[i])) {
				report_error(reader->unit, first->offset,
					     "'omp %s' is not supported yet", not_supported[i]);
				return false;
			}
		report_error(reader->unit, first->offset, "unknown OpenMP directive '%.*s'",
			     (int)first->length, source->text.data + first->offset);
		return false;
	}
	return true;
}

static void check_clauses(struct unit *unit, const struct directive *directive)
{
	unsigned int allowed = kinds[directive->kind].clauses, seen = 0, once;
	size_t i;

	if (directive->kind == DIRECTIVE_THREADPRIVATE || directive->kind == DIRECTIVE_FLUSH)
		allowed = BIT(CLAUSE_LIST);
	if (directive->simd)
		allowed |= SIMD;
	once = BIT(CLAUSE_IF) | BIT(CLAUSE_NUM_THREADS) | BIT(CLAUSE_DEFAULT) |
	       BIT(CLAUSE_SCHEDULE) | BIT(CLAUSE_COLLAPSE) | BIT(CLAUSE_NOWAIT);
	for (i = 0; i < directive->clauses.count; i++) {
		const struct clause *clause = &directive->clauses.items[i];

		if (!(allowed & BIT(clause->kind)))
			report_error(unit, clause->offset, "'%s' is not valid on 'omp %s'",
				     clause_name(clause->kind), directive_name(directive->kind));
		else if (seen & once & BIT(clause->kind))
			report_error(unit, clause->offset, "more than one '%s' clause",
				     clause_name(clause->kind));
		seen |= BIT(clause->kind);
	}
	if ((seen & BIT(CLAUSE_NOWAIT)) && (seen & BIT(CLAUSE_COPYPRIVATE)))
		report_error(unit, directive_clause(directive, CLAUSE_NOWAIT)->offset,
			     "'nowait' and 'copyprivate' exclude each other: the values are "
			     "handed over at the barrier that nowait leaves out");
}

static void read_directive(struct unit *unit, struct directive *directive, unsigned int first,
			   unsigned int end)
{
	struct clause_reader reader = {unit, unit->directives.words.items, first, end};

	reader.at += 3; /* # pragma omp */
	if (!read_kind(&reader, directive))
		return;
	if (directive->kind == DIRECTIVE_THREADPRIVATE || directive->kind == DIRECTIVE_FLUSH) {
		if (!clause_read_list(&reader, directive))
			return;
	}
	if (directive->kind == DIRECTIVE_IGNORED || !clauses_read(&reader, directive))
		return;
	check_clauses(unit, directive);
}

void directives_read(struct unit *unit)
{
	struct source *source = &unit->source;
	struct directive_list *directives = &unit->directives;
	size_t i;

	for (i = 0; i < source->tokens.count; i++) {
		struct token *token = &source->tokens.items[i];
		unsigned int first = (unsigned int)directives->words.count;
		struct directive *directive;

		if (token->kind != TOKEN_DIRECTIVE)
			continue;
		token->match = (unsigned int)directives->list.count;
		directive = list_add(&directives->list);
		directive->offset = token->offset;
		directive->end = token_end(token);
		directive->parent = directive->function = directive->statement = -1;
		source_lex_line(source, (struct range){directive->offset, directive->end},
				&directives->words);
		read_directive(unit, directive, first, (unsigned int)directives->words.count);
	}
}

void directives_free(struct directive_list *directives)
{
	size_t i, j;

	for (i = 0; i < directives->list.count; i++) {
		struct directive *directive = &directives->list.items[i];

		for (j = 0; j < directive->clauses.count; j++)
			list_free(&directive->clauses.items[j].items);
		list_free(&directive->clauses);
		list_free(&directive->shared);
		memory_free(directive->loops);
	}
	list_free(&directives->list);
	list_free(&directives->words);
}
