/* SPDX-License-Identifier: GPL-2.0-or-later */
/* directive.c - reads the directives: how each is written, what is not supported. */
#include "directive.h"

#include <string.h>

#include "clause.h"
#include "constant.h"
#include "directive_facts.h"
#include "reduction.h"
#include "report.h"
#include "unit.h"

enum form {
	FORM_PLAIN,
	FORM_SIMD = 1,
	FORM_MASTER = 2,
	FORM_UNREAD = 4,   /* the rest of the line is not looked at */
	FORM_TASKLOOP = 8, /* what it governs is a taskloop */
	FORM_LOOP = 16,
	FORM_TRANSFORM = 32,
};

/* The directives as they are written; of two that fit, the longer one comes first. */
static const struct {
	const char *words;
	enum directive_kind kind;
	enum form form;
} phrases[] = {
	{"parallel for simd", DIRECTIVE_PARALLEL_FOR, FORM_SIMD},
	{"parallel for", DIRECTIVE_PARALLEL_FOR, FORM_PLAIN},
	{"parallel loop", DIRECTIVE_PARALLEL_FOR, FORM_LOOP},
	{"parallel sections", DIRECTIVE_PARALLEL_SECTIONS, FORM_PLAIN},
	{"parallel master taskloop", DIRECTIVE_PARALLEL, FORM_MASTER | FORM_TASKLOOP},
	{"parallel master", DIRECTIVE_PARALLEL, FORM_MASTER},
	{"parallel masked taskloop", DIRECTIVE_PARALLEL, FORM_MASTER | FORM_TASKLOOP},
	{"parallel masked", DIRECTIVE_PARALLEL, FORM_MASTER},
	{"parallel", DIRECTIVE_PARALLEL, FORM_PLAIN},
	{"for simd", DIRECTIVE_FOR, FORM_SIMD},
	{"for", DIRECTIVE_FOR, FORM_PLAIN},
	{"loop", DIRECTIVE_FOR, FORM_LOOP},
	{"simd", DIRECTIVE_SIMD, FORM_PLAIN},
	{"sections", DIRECTIVE_SECTIONS, FORM_PLAIN},
	{"section", DIRECTIVE_SECTION, FORM_PLAIN},
	{"single", DIRECTIVE_SINGLE, FORM_PLAIN},
	{"scope", DIRECTIVE_SCOPE, FORM_PLAIN},
	{"master taskloop", DIRECTIVE_MASTER, FORM_TASKLOOP},
	{"master", DIRECTIVE_MASTER, FORM_PLAIN},
	{"masked taskloop", DIRECTIVE_MASTER, FORM_TASKLOOP},
	{"masked", DIRECTIVE_MASTER, FORM_PLAIN},
	{"critical", DIRECTIVE_CRITICAL, FORM_PLAIN},
	{"atomic", DIRECTIVE_ATOMIC, FORM_PLAIN},
	{"ordered", DIRECTIVE_ORDERED, FORM_PLAIN},
	{"taskloop simd", DIRECTIVE_TASKLOOP, FORM_SIMD},
	{"taskloop", DIRECTIVE_TASKLOOP, FORM_PLAIN},
	{"taskgroup", DIRECTIVE_TASKGROUP, FORM_PLAIN},
	{"taskwait", DIRECTIVE_TASKWAIT, FORM_PLAIN},
	{"taskyield", DIRECTIVE_TASKYIELD, FORM_PLAIN},
	{"task", DIRECTIVE_TASK, FORM_PLAIN},
	{"barrier", DIRECTIVE_BARRIER, FORM_PLAIN},
	{"flush", DIRECTIVE_FLUSH, FORM_PLAIN},
	{"cancel", DIRECTIVE_CANCEL, FORM_PLAIN},
	{"cancellation point", DIRECTIVE_CANCEL, FORM_PLAIN},
	{"threadprivate", DIRECTIVE_THREADPRIVATE, FORM_PLAIN},
	{"declare reduction", DIRECTIVE_DECLARE_REDUCTION, FORM_PLAIN},
	{"declare simd", DIRECTIVE_IGNORED, FORM_UNREAD},
	{"declare target", DIRECTIVE_IGNORED, FORM_UNREAD},
	{"begin declare target", DIRECTIVE_IGNORED, FORM_UNREAD},
	{"end declare target", DIRECTIVE_IGNORED, FORM_UNREAD},
	{"target enter data", DIRECTIVE_IGNORED, FORM_UNREAD},
	{"target exit data", DIRECTIVE_IGNORED, FORM_UNREAD},
	{"target update", DIRECTIVE_IGNORED, FORM_UNREAD},
	{"assumes", DIRECTIVE_IGNORED, FORM_UNREAD},
	{"begin assumes", DIRECTIVE_IGNORED, FORM_UNREAD},
	{"end assumes", DIRECTIVE_IGNORED, FORM_UNREAD},
	{"assume", DIRECTIVE_HOST, FORM_UNREAD},
	{"unroll", DIRECTIVE_HOST, FORM_UNREAD | FORM_TRANSFORM},
	{"tile", DIRECTIVE_HOST, FORM_UNREAD | FORM_TRANSFORM},
	{"target data", DIRECTIVE_HOST, FORM_UNREAD},
	{"nothing", DIRECTIVE_IGNORED, FORM_PLAIN},
	{"error", DIRECTIVE_ERROR, FORM_PLAIN},
};

/* What there is not, and what to do instead. */
static const struct {
	const char *word;
	const char *instead;
} not_supported[] = {
	{"scan", "let each thread sum its block, then a single construct the blocks' sums"},
	{"requires", "remove it; write the memory order at each atomic"},
	{"interop", "there is no device but the host; remove it"},
	{"dispatch", "call the function without it"},
	{"depobj", "write the dependences into the depend clauses of the tasks"},
	{"allocate", "call omp_alloc(), or declare the variable with the alignment that it needs"},
	{"allocators", "call omp_alloc()"},
	{"metadirective", "choose the directive by #if"},
	{"declare", "call the intended function, or map the intended data"},
	{"begin", "call the intended function"},
	{"end", "call the intended function"},
};

bool is_sharing(enum clause_kind kind)
{
	return CLAUSE_BIT(kind) &
	       (CLAUSES_OF_DATA | CLAUSE_BIT(CLAUSE_LASTPRIVATE) | CLAUSE_BIT(CLAUSE_SHARED) |
		CLAUSE_BIT(CLAUSE_COPYIN) | CLAUSE_BIT(CLAUSE_COPYPRIVATE) |
		CLAUSE_BIT(CLAUSE_IN_REDUCTION) | CLAUSE_BIT(CLAUSE_REDUCTION));
}

bool is_reduction(enum clause_kind kind)
{
	return kind == CLAUSE_REDUCTION || kind == CLAUSE_IN_REDUCTION ||
	       kind == CLAUSE_TASK_REDUCTION;
}

bool is_in_reduction(const struct directive *directive, const struct clause *clause)
{
	return clause->kind == CLAUSE_IN_REDUCTION ||
	       (clause->kind == CLAUSE_REDUCTION && directive->kind == DIRECTIVE_TASKLOOP);
}

struct clause *directive_clause(const struct directive *directive, enum clause_kind kind)
{
	size_t i;

	for (i = 0; i < directive->clauses.count; i++)
		if (directive->clauses.items[i].kind == kind)
			return &directive->clauses.items[i];
	return NULL;
}

size_t directives_from(const struct directive_list *directives, unsigned int offset)
{
	size_t low = 0, high = directives->list.count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (directives->list.items[middle].offset < offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const struct directive *directive_parent(const struct directive_list *directives,
					 const struct directive *directive)
{
	return directive->parent < 0 ? NULL : &directives->list.items[directive->parent];
}

const struct directive *directive_around(const struct directive_list *directives,
					 unsigned int offset)
{
	size_t before = directives_from(directives, offset + 1);
	const struct directive *around = before ? &directives->list.items[before - 1] : NULL;

	while (around && (offset < around->body.from || offset >= around->body.to))
		around = directive_parent(directives, around);
	return around;
}

bool directive_waits(const struct directive *directive)
{
	return !directive_clause(directive, CLAUSE_NOWAIT) &&
	       (!directive->last || directive->planned);
}

bool directive_ends_with_barrier(const struct directive *directive)
{
	switch (directive->kind) {
	case DIRECTIVE_BARRIER:
		return true;
	case DIRECTIVE_FOR:
	case DIRECTIVE_SECTIONS:
	case DIRECTIVE_SINGLE:
		return directive_waits(directive);
	default:
		return false;
	}
}

bool directive_deals_blocks(const struct directive *directive)
{
	const struct clause *schedule = directive_clause(directive, CLAUSE_SCHEDULE);

	return !schedule || (schedule->call && !strcmp(schedule->call, "cape_schedule_static") &&
			     schedule->argument.to == schedule->argument.from);
}

bool directive_is_shared_out(const struct directive *directive)
{
	return directive->kind == DIRECTIVE_FOR || directive->kind == DIRECTIVE_SECTIONS ||
	       directive->kind == DIRECTIVE_SINGLE || directive->kind == DIRECTIVE_MASTER ||
	       directive->kind == DIRECTIVE_PARALLEL_FOR;
}

static bool take(struct clause_reader *reader, const char *word)
{
	if (reader->at >= reader->end ||
	    !token_is(&reader->unit->source, &reader->words[reader->at], word))
		return false;
	reader->at++;
	return true;
}

/* Takes all of WORDS, or none. */
static bool take_words(struct clause_reader *reader, const char *words)
{
	unsigned int start = reader->at;

	while (*words) {
		size_t length = strcspn(words, " ");
		char word[16];

		memcpy(word, words, length);
		word[length] = '\0';
		if (!take(reader, word)) {
			reader->at = start;
			return false;
		}
		words += length + (words[length] == ' ');
	}
	return true;
}

static bool take_phrase(struct clause_reader *reader, struct directive *directive)
{
	size_t i;

	for (i = 0; i < sizeof phrases / sizeof *phrases; i++)
		if (take_words(reader, phrases[i].words)) {
			directive->kind = phrases[i].kind;
			directive->simd = phrases[i].form & FORM_SIMD;
			directive->master = phrases[i].form & FORM_MASTER;
			directive->combined = phrases[i].form & FORM_TASKLOOP;
			directive->loop = phrases[i].form & FORM_LOOP;
			directive->transforms = phrases[i].form & FORM_TRANSFORM;
			if (directive->combined)
				directive->simd = take(reader, "simd");
			if (phrases[i].form & FORM_UNREAD)
				reader->at = reader->end;
			return true;
		}
	return false;
}

/*
 * There is no device but the host, no league but of one team: [target] [teams] [distribute] leave
 * what follows them, or a block or loop that runs as it stands.
 */
static bool take_device(struct clause_reader *reader, struct directive *directive)
{
	bool target = take(reader, "target"), teams = take(reader, "teams");
	bool distribute = take(reader, "distribute");

	if (!target && !teams && !distribute)
		return false;
	directive->device = true;
	directive->target = target;
	directive->teams = teams;
	directive->kind = distribute ? DIRECTIVE_SIMD : DIRECTIVE_HOST;
	directive->simd = distribute && take(reader, "simd");
	directive->loop = teams && !distribute && take(reader, "loop");
	if (directive->loop)
		directive->kind = DIRECTIVE_SIMD;
	if (!directive->simd && !directive->loop && reader->at < reader->end &&
	    (token_is(&reader->unit->source, &reader->words[reader->at], "parallel") ||
	     (target && token_is(&reader->unit->source, &reader->words[reader->at], "simd"))))
		take_phrase(reader, directive);
	return true;
}

/* The names after "omp"; false when an error was reported. */
static bool read_kind(struct clause_reader *reader, struct directive *directive)
{
	const struct token *first = &reader->words[reader->at];
	struct source *source = &reader->unit->source;
	size_t i;

	directive->name = reader->at < reader->end ? first->offset : directive->offset;
	if (take_phrase(reader, directive) || take_device(reader, directive))
		return true;
	if (reader->at >= reader->end) {
		report_error(reader->unit, directive->offset, "'#pragma omp' names no directive");
		return false;
	}
	for (i = 0; i < sizeof not_supported / sizeof *not_supported; i++)
		if (token_is(source, first, not_supported[i].word)) {
			const struct token *last = first;

			if (reader->at + 1 < reader->end && first[1].kind == TOKEN_NAME)
				last++;
			report_error(reader->unit, first->offset, "'omp %.*s' is not supported: %s",
				     (int)(token_end(last) - first->offset),
				     source->text.data + first->offset, not_supported[i].instead);
			return false;
		}
	report_error(reader->unit, first->offset, "unknown OpenMP directive '%.*s'",
		     (int)first->length, source->text.data + first->offset);
	return false;
}

static unsigned long allowed_clauses(const struct directive *directive)
{
	unsigned long allowed =
		directive_facts[directive->kind].clauses | CLAUSE_BIT(CLAUSE_NO_CODE);

	if (directive->simd)
		allowed |= CLAUSES_OF_SIMD;
	if (directive->device)
		allowed |= CLAUSES_OF_DEVICE;
	if (directive->master)
		allowed |= CLAUSE_BIT(CLAUSE_FILTER);
	if (directive->device && directive->kind == DIRECTIVE_SIMD)
		allowed |= CLAUSES_OF_LOOP;
	return allowed;
}

static void check_clauses(struct unit *unit, const struct directive *directive)
{
	unsigned long allowed = allowed_clauses(directive), seen = 0, once;
	size_t i;

	once = CLAUSE_BIT(CLAUSE_IF) | CLAUSE_BIT(CLAUSE_NUM_THREADS) | CLAUSE_BIT(CLAUSE_DEFAULT) |
	       CLAUSE_BIT(CLAUSE_SCHEDULE) | CLAUSE_BIT(CLAUSE_COLLAPSE) |
	       CLAUSE_BIT(CLAUSE_NOWAIT) | CLAUSE_BIT(CLAUSE_ORDERED) | CLAUSE_BIT(CLAUSE_FINAL) |
	       CLAUSE_BIT(CLAUSE_PRIORITY) | CLAUSE_BIT(CLAUSE_MEMORY_ORDER) |
	       CLAUSE_BIT(CLAUSE_GRAIN) | CLAUSE_BIT(CLAUSE_NUM_TEAMS) |
	       CLAUSE_BIT(CLAUSE_THREAD_LIMIT);
	for (i = 0; i < directive->clauses.count; i++) {
		const struct clause *clause = &directive->clauses.items[i];

		if (!(allowed & CLAUSE_BIT(clause->kind)))
			report_error(unit, clause->offset, "'%s' is not valid on 'omp %s'",
				     clause->name, directive_facts[directive->kind].name);
		else if (seen & once & CLAUSE_BIT(clause->kind))
			report_error(unit, clause->offset,
				     clause->kind == CLAUSE_GRAIN
					     ? "'%s' is one clause too many: a taskloop has either "
					       "'grainsize' or 'num_tasks'"
					     : "more than one '%s' clause",
				     clause->name);
		seen |= CLAUSE_BIT(clause->kind);
	}
	if ((seen & CLAUSE_BIT(CLAUSE_NOWAIT)) && (seen & CLAUSE_BIT(CLAUSE_COPYPRIVATE)))
		report_error(unit, directive_clause(directive, CLAUSE_NOWAIT)->offset,
			     "'nowait' and 'copyprivate' exclude each other: the values are "
			     "handed over at the barrier that nowait leaves out");
	if ((seen & CLAUSE_BIT(CLAUSE_NOGROUP)) && (seen & CLAUSE_BIT(CLAUSE_REDUCTION)))
		report_error(unit, directive_clause(directive, CLAUSE_NOGROUP)->offset,
			     "'nogroup' and 'reduction' exclude each other: the result is there "
			     "when the group of tasks ends, which nogroup leaves out");
	if ((seen & CLAUSE_BIT(CLAUSE_LIST)) && (seen & CLAUSE_BIT(CLAUSE_MEMORY_ORDER)))
		report_error(unit, directive_clause(directive, CLAUSE_MEMORY_ORDER)->offset,
			     "a flush with a memory order has no list");
}

static bool read_error(struct clause_reader *reader, struct directive *directive)
{
	const struct source *source = &reader->unit->source;
	struct range message = {0, 0};
	bool fatal = true;

	for (; reader->at < reader->end; reader->at++) {
		if (reader_is(reader, reader->at, "execution")) {
			report_error(reader->unit, directive->name,
				     "'omp error at(execution)' is not supported");
			return false;
		}
		if (reader_is(reader, reader->at, "warning"))
			fatal = false;
		if (reader->words[reader->at].kind == TOKEN_STRING)
			message = reader_text(reader, reader->at, reader->at + 1);
	}
	(fatal ? report_error : report_warning)(reader->unit, directive->name, "omp error: %.*s",
						(int)(message.to - message.from),
						source->text.data + message.from);
	return !fatal;
}

/* What stands after the name of some directives before their clauses. */
static bool read_argument(struct clause_reader *reader, struct directive *directive)
{
	switch (directive->kind) {
	case DIRECTIVE_THREADPRIVATE:
	case DIRECTIVE_FLUSH:
		return clause_read_list(reader, directive);
	case DIRECTIVE_CRITICAL:
		return clause_read_name(reader, directive);
	case DIRECTIVE_DECLARE_REDUCTION:
		return reduction_read(reader, directive);
	case DIRECTIVE_ERROR:
		return read_error(reader, directive);
	case DIRECTIVE_CANCEL:
		if (take(reader, "parallel") || take(reader, "for") || take(reader, "sections") ||
		    take(reader, "taskgroup"))
			return true;
		report_error(reader->unit, directive->name,
			     "'omp cancel' needs the name of a construct: parallel, for, sections "
			     "or taskgroup");
		return false;
	default:
		return true;
	}
}

/* Whether a clause of a directive that is combined with a taskloop is not for the taskloop. */
static bool is_of_outer(const struct directive *outer, enum clause_kind kind)
{
	return (directive_facts[outer->kind].clauses | CLAUSE_BIT(CLAUSE_FILTER)) &
	       ~directive_facts[DIRECTIVE_TASKLOOP].clauses & CLAUSE_BIT(kind);
}

/*
 * The last directive as two, that stand in one another as if they had been written so.  What both
 * may have is the taskloop's: around it these variables are shared.
 */
static void split_combined(struct unit *unit)
{
	struct directive_list *directives = &unit->directives;
	struct directive *inner = list_add(&directives->list), *outer = inner - 1;
	struct directive both = *outer;
	size_t i;

	outer->simd = false;
	outer->clauses = (__typeof__(outer->clauses)){0};
	inner->kind = DIRECTIVE_TASKLOOP;
	inner->simd = both.simd;
	inner->offset = inner->end = both.end;
	inner->name = both.name;
	inner->parent = inner->function = inner->statement = -1;
	for (i = 0; i < both.clauses.count; i++) {
		const struct clause *clause = &both.clauses.items[i];

		*(struct clause *)list_add(is_of_outer(outer, clause->kind) ? &outer->clauses
									    : &inner->clauses) =
			*clause;
	}
	list_free(&both.clauses);
	check_clauses(unit, outer);
	check_clauses(unit, inner);
}

static void read_directive(struct unit *unit, struct directive *directive, unsigned int first,
			   unsigned int end)
{
	struct clause_reader reader = {unit, unit->directives.words.items, first, end};

	reader.at += 3; /* # pragma omp */
	if (!read_kind(&reader, directive) || !read_argument(&reader, directive) ||
	    !clauses_read(&reader, directive))
		return;
	if (directive->combined)
		split_combined(unit);
	else
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

static void evaluate_collapse(struct unit *unit, const struct directive *directive,
			      struct clause *clause)
{
	const struct token *words = unit->directives.words.items;
	size_t first = 0, end;
	long number;

	while (words[first].offset < clause->argument.from)
		first++;
	for (end = first;
	     end < unit->directives.words.count && words[end].offset < clause->argument.to;)
		end++;
	if (constant_value(unit, directive->function, words + first, (unsigned int)(end - first),
			   &number) &&
	    number >= 1 && number <= 16)
		clause->number = (unsigned long)number;
	else
		report_error(unit, clause->argument.from,
			     "collapse needs a constant number of loops, 1 to 16");
}

void directives_evaluate(struct unit *unit)
{
	size_t i;

	for (i = 0; i < unit->directives.list.count; i++) {
		const struct directive *directive = &unit->directives.list.items[i];
		struct clause *collapse = directive_clause(directive, CLAUSE_COLLAPSE);

		if (collapse)
			evaluate_collapse(unit, directive, collapse);
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
		list_free(&directive->reaching);
		list_free(&directive->writes);
		list_free(&directive->carried);
		memory_free(directive->loops);
		reduction_free(directive);
	}
	list_free(&directives->list);
	list_free(&directives->words);
}
