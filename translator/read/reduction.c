/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reduction.c - declare reduction.
 *
 * Each type of the directive gets two functions at file scope.  Which of several types a variable
 * has is left to the compiler, by _Generic.
 */
#include "reduction.h"

#include <stdlib.h>
#include <string.h>

#include "clause.h"
#include "construct.h"
#include "part.h"
#include "report.h"
#include "unit.h"

struct declaration {
	struct range identifier;
	LIST(struct range) types;
	struct range combiner;
	struct range initial; /* empty: all zero */
	bool assigns;	      /* INITIAL is a value for omp_priv, not a call */
};

static bool report_form(struct clause_reader *reader)
{
	report_error(reader->unit,
		     reader->words[reader->at < reader->end ? reader->at : reader->end - 1].offset,
		     "'declare reduction' has the form declare reduction(name : types : combiner) "
		     "[initializer(omp_priv = value)]");
	return false;
}

static bool read_types(struct clause_reader *reader, struct declaration *declaration,
		       unsigned int end)
{
	while (reader->at < end) {
		unsigned int comma = reader_find(reader, reader->at, end, ",");

		if (comma == reader->at)
			return false;
		*list_add(&declaration->types) = reader_text(reader, reader->at, comma);
		reader->at = comma + 1;
	}
	return declaration->types.count > 0;
}

/* initializer(omp_priv = value) or initializer(function(...)) */
static bool read_initializer(struct clause_reader *reader, struct declaration *declaration)
{
	unsigned int open = reader->at + 1, close;

	if (!reader_is(reader, reader->at, "initializer") || !reader_is(reader, open, "("))
		return false;
	close = reader->words[open].match;
	if (close == NO_MATCH || close == open + 1)
		return false;
	declaration->assigns =
		reader_is(reader, open + 1, "omp_priv") && reader_is(reader, open + 2, "=");
	declaration->initial = reader_text(reader, open + (declaration->assigns ? 3 : 1), close);
	reader->at = close + 1;
	return declaration->initial.to != 0;
}

bool reduction_read(struct clause_reader *reader, struct directive *directive)
{
	unsigned int close, colon;
	struct declaration *declaration;

	if (!reader_is(reader, reader->at, "(") || reader->words[reader->at].match == NO_MATCH)
		return report_form(reader);
	close = reader->words[reader->at++].match;
	if (!reader_is(reader, reader->at + 1, ":"))
		return report_form(reader);
	declaration = calloc(1, sizeof *declaration);
	if (!declaration) {
		report_error(reader->unit, directive->offset, "out of memory");
		return false;
	}
	directive->declaration = declaration;
	declaration->identifier = reader_text(reader, reader->at, reader->at + 1);
	reader->at += 2;
	colon = reader_find(reader, reader->at, close, ":");
	if (!read_types(reader, declaration, colon))
		return report_form(reader);
	declaration->combiner = reader_text(reader, colon + 1, close);
	reader->at = close + 1;
	if (!declaration->combiner.to ||
	    (reader->at < reader->end && !read_initializer(reader, declaration)))
		return report_form(reader);
	return true;
}

void reduction_free(struct directive *directive)
{
	if (directive->declaration)
		list_free(&directive->declaration->types);
	free(directive->declaration);
}

/* Where the scope of a declare reduction ends. */
static unsigned int scope_end(const struct unit *unit, const struct directive *directive)
{
	const struct statement *list = unit->statements.items;
	int at;

	if (directive->function < 0)
		return (unsigned int)unit->source.text.length;
	for (at = list[directive->statement].parent; list[at].kind != STATEMENT_COMPOUND;)
		at = list[at].parent;
	return token_end(&unit->source.tokens.items[list[at].end - 1]);
}

static bool fits(const struct unit *unit, const struct directive *declared,
		 const struct directive *directive, const struct clause *clause)
{
	const char *text = unit->source.text.data;
	unsigned int length = clause->identifier.to - clause->identifier.from;
	struct range name;

	if (!declared->declaration || declared->offset > directive->offset ||
	    scope_end(unit, declared) < directive->offset)
		return false;
	name = declared->declaration->identifier;
	return name.to - name.from == length &&
	       !memcmp(text + name.from, text + clause->identifier.from, length);
}

bool reduction_is_declared(const struct unit *unit, const struct directive *directive,
			   const struct clause *clause)
{
	size_t i;

	for (i = 0; i < unit->directives.list.count; i++)
		if (fits(unit, &unit->directives.list.items[i], directive, clause))
			return true;
	return false;
}

/*
 * Adds a _Generic of ELEMENT: function WHICH for each type of the name, or 1 when that is NULL;
 * OTHER for any other type.
 */
static void write_choice(const struct unit *unit, const struct directive *directive,
			 const struct clause *clause, const char *which, const char *element,
			 const char *other, struct text *text)
{
	const char *source = unit->source.text.data;
	unsigned int count = 0;
	size_t i, j;

	for (i = unit->directives.list.count; i-- > 0;) { /* inner scopes first */
		const struct directive *declared = &unit->directives.list.items[i];

		if (!fits(unit, declared, directive, clause))
			continue;
		text_print(text, "_Generic((%s)", element);
		for (j = 0; j < declared->declaration->types.count; j++) {
			struct range type = declared->declaration->types.items[j];

			text_print(text, ", %.*s: ", (int)(type.to - type.from),
				   source + type.from);
			if (which)
				text_print(text, "cape_%s_%u_%zu", which, declared->offset, j);
			else
				text_print(text, "1");
		}
		text_print(text, ", default: ");
		count++;
	}
	text_print(text, "%s", other);
	while (count--)
		text_print(text, ")");
}

void reduction_write_function(const struct unit *unit, const struct directive *directive,
			      const struct clause *clause, const struct item *item,
			      const char *which, const char *element, struct text *text)
{
	if (item->own)
		text_print(text, "cape_%s_%u", which, item->offset);
	else
		write_choice(unit, directive, clause, which, element,
			     "(void (*)(void *, const void *))0", text);
}

void reduction_write_check(const struct unit *unit, const struct directive *directive,
			   const struct clause *clause, const struct item *item,
			   const char *element, struct text *text)
{
	const char *source = unit->source.text.data;

	if (item->own)
		return;
	text_print(text, "_Static_assert(");
	write_choice(unit, directive, clause, NULL, element, "0", text);
	text_print(text, ", \"no 'declare reduction(%.*s: ...)' is for the type of '%.*s'\"); ",
		   (int)(clause->identifier.to - clause->identifier.from),
		   source + clause->identifier.from, (int)item->length, source + item->offset);
}

/* The initializer, in which omp_priv and omp_orig are the objects themselves, not copies. */
static void write_initial(const struct unit *unit, struct range range, struct text *text)
{
	const struct source *source = &unit->source;
	const token_list *words = &unit->directives.words;
	unsigned int from = range.from;
	size_t i;

	for (i = 0; i < words->count; i++) {
		const struct token *word = &words->items[i];

		if (word->offset < range.from || word->offset >= range.to ||
		    (!token_is(source, word, "omp_priv") && !token_is(source, word, "omp_orig")) ||
		    token_is(source, word - 1, ".") || token_is(source, word - 1, "->"))
			continue;
		text_print(text, "%.*s(*cape_%.4s)", (int)(word->offset - from),
			   source->text.data + from, source->text.data + word->offset + 4);
		from = token_end(word);
	}
	text_print(text, "%.*s", (int)(range.to - from), source->text.data + from);
}

static void write_functions(const struct unit *unit, const struct directive *directive,
			    size_t index, struct text *text)
{
	const struct declaration *declaration = directive->declaration;
	struct range type = declaration->types.items[index];
	const char *source = unit->source.text.data;
	int combiner = (int)(declaration->combiner.to - declaration->combiner.from);
	char *name =
		format_text("__typeof__(%.*s)", (int)(type.to - type.from), source + type.from);

	text_print(text,
		   "static __attribute__((unused)) void cape_combine_%u_%zu(void *cape_out, "
		   "const void *cape_in)\n"
		   "{\n"
		   "\t%s omp_out = *(%s *)cape_out, omp_in = *(const %s *)cape_in;\n"
		   "\t%.*s;\n"
		   "\t*(%s *)cape_out = omp_out;\n"
		   "}\n",
		   directive->offset, index, name, name, name, combiner,
		   source + declaration->combiner.from, name);
	text_print(text,
		   "static __attribute__((unused)) void cape_initial_%u_%zu(void *cape_out, "
		   "const void *cape_in)\n"
		   "{\n"
		   "\t%s *cape_priv = cape_out, *cape_orig = (%s *)cape_in;\n"
		   "\t%s cape_value = ",
		   directive->offset, index, name, name, name);
	if (declaration->assigns)
		write_initial(unit, declaration->initial, text);
	else
		text_print(text, "{0}");
	text_print(text, ";\n\t(void)cape_orig;\n\t*cape_priv = cape_value;\n");
	if (declaration->initial.to && !declaration->assigns) {
		text_print(text, "\t");
		write_initial(unit, declaration->initial, text);
		text_print(text, ";\n");
	}
	text_print(text, "}\n");
	memory_free(name);
}

/* How each operator changes *cape_out by *cape_in, and what it begins with. */
static const struct {
	const char *name;
	const char *change;
	const char *initial;
} own_operators[] = {
	{"CAPE_ADD", "*cape_out += *cape_in", "0"},
	{"CAPE_MULTIPLY", "*cape_out *= *cape_in", "1"},
	{"CAPE_BIT_AND", "*cape_out &= *cape_in", "-1"},
	{"CAPE_BIT_OR", "*cape_out |= *cape_in", "0"},
	{"CAPE_BIT_XOR", "*cape_out ^= *cape_in", "0"},
	{"CAPE_LOGICAL_AND", "*cape_out = *cape_out && *cape_in", "1"},
	{"CAPE_LOGICAL_OR", "*cape_out = *cape_out || *cape_in", "0"},
	{"CAPE_MIN", "*cape_out = *cape_in < *cape_out ? *cape_in : *cape_out", NULL},
	{"CAPE_MAX", "*cape_out = *cape_in > *cape_out ? *cape_in : *cape_out", NULL},
};

/* The value that MIN (or MAX) begins with: the largest of TYPE (or the least). */
static char *extreme(const struct variable *variable, bool largest)
{
	if (variable->floating)
		return format_text("%s__builtin_inf()", largest ? "" : "-");
	return format_text("(%s)-1 > 0 ? (%s)%d : (%s)((~(unsigned __int128)0 >> 1) + %d)",
			   variable->own_type, variable->own_type, largest ? -1 : 0,
			   variable->own_type, !largest);
}

static void write_own(const struct unit *unit, const struct clause *clause, const struct item *item,
		      struct text *text)
{
	const struct variable *variable = &unit->tree.variables.items[item->variable];
	const char *type = variable->own_type;
	char *value;
	size_t i = 0;

	while (strcmp(own_operators[i].name, clause->operator_name) != 0)
		i++;
	value = own_operators[i].initial
			? format_text("%s", own_operators[i].initial)
			: extreme(variable, !strcmp(own_operators[i].name, "CAPE_MIN"));
	text_print(text,
		   "static __attribute__((unused)) void cape_combine_%u(void *cape_to, const void "
		   "*cape_from)\n"
		   "{\n"
		   "\t%s *cape_out = cape_to;\n"
		   "\tconst %s *cape_in = cape_from;\n"
		   "\t%s;\n"
		   "}\n"
		   "static __attribute__((unused)) void cape_initial_%u(void *cape_to, const void "
		   "*cape_from)\n"
		   "{\n"
		   "\t(void)cape_from;\n"
		   "\t*(%s *)cape_to = %s;\n"
		   "}\n",
		   item->offset, type, type, own_operators[i].change, item->offset, type, value);
	memory_free(value);
}

void rewrite_own_reductions(struct unit *unit, const struct directive *directive)
{
	struct text text = {0};
	unsigned int begin;
	size_t i, j;

	for (i = 0; i < directive->clauses.count; i++) {
		const struct clause *clause = &directive->clauses.items[i];

		for (j = 0; j < clause->items.count; j++)
			if (clause->items.items[j].own)
				write_own(unit, clause, &clause->items.items[j], &text);
	}
	if (!text.length)
		return;
	begin = unit->tree.functions.items[directive->function].begin;
	edit_before(&unit->source, begin, begin, text.data);
}

/* Whether token AT, of the words of a typedef or not, gives NAME a meaning as a type. */
static bool defines(const struct unit *unit, unsigned int at, bool in_typedef,
		    const struct token *name)
{
	const struct source *source = &unit->source;
	const struct token *token = &source->tokens.items[at];
	bool tag = at > 0 &&
		   (token_is(source, token - 1, "struct") || token_is(source, token - 1, "union") ||
		    token_is(source, token - 1, "enum"));

	return token->kind == TOKEN_NAME && token_same(source, token, name) &&
	       (tag ? token_is(source, token + 1, "{") : in_typedef);
}

/* Whether NAME is defined as a type in [FROM, TO). */
static bool is_type_of(const struct unit *unit, const struct token *name, struct range range)
{
	unsigned int at = source_token_at(&unit->source, range.from);
	unsigned int end = source_token_at(&unit->source, range.to), typedef_end = 0;
	struct part all = {at, end};

	for (; at < end; at++) {
		if (part_is(&unit->source, all, at, "typedef"))
			typedef_end = part_find(&unit->source, all, at, ";");
		if (defines(unit, at, at < typedef_end, name))
			return true;
	}
	return false;
}

/* The functions stand before the one that DIRECTIVE is in, which knows more than they do. */
static bool names_local(struct unit *unit, const struct directive *directive)
{
	const struct function *function = &unit->tree.functions.items[directive->function];
	const struct source *source = &unit->source;
	size_t i;

	for (i = 0; i < unit->directives.words.count; i++) {
		const struct token *word = &unit->directives.words.items[i];
		unsigned int variable;

		if (word->offset < directive->declaration->identifier.to ||
		    word->offset >= directive->end || word->kind != TOKEN_NAME ||
		    token_is(source, word - 1, ".") || token_is(source, word - 1, "->"))
			continue;
		variable = tree_lookup(unit, word->offset, word->length, directive->offset,
				       directive->function);
		if ((variable == NO_VARIABLE ||
		     unit->tree.variables.items[variable].function < 0) &&
		    !is_type_of(unit, word, (struct range){function->body.from, directive->offset}))
			continue;
		report_error(unit, word->offset,
			     "'%.*s' is declared in the function, and 'declare reduction' can name "
			     "only what is declared outside of functions: move it there",
			     (int)word->length, source->text.data + word->offset);
		return true;
	}
	return false;
}

/* Whether "struct NAME" is one of its types and is defined after DIRECTIVE only. */
static bool names_incomplete(const struct unit *unit, const struct directive *directive)
{
	const struct source *source = &unit->source;
	size_t i;

	for (i = 1; i < unit->directives.words.count; i++) {
		const struct token *word = &unit->directives.words.items[i];

		if (word->offset < directive->declaration->identifier.to ||
		    word->offset >= directive->declaration->combiner.from ||
		    (!token_is(source, word - 1, "struct") && !token_is(source, word - 1, "union")))
			continue;
		if (!is_type_of(unit, word, (struct range){0, directive->offset}))
			return true;
	}
	return false;
}

/* The function whose directive is the first to use the declaration of DIRECTIVE, or -1. */
static int first_user(const struct unit *unit, const struct directive *directive)
{
	size_t i, j, k;

	for (i = 0; i < unit->directives.list.count; i++) {
		const struct directive *user = &unit->directives.list.items[i];

		for (j = 0; j < user->clauses.count; j++)
			for (k = 0; k < user->clauses.items[j].items.count; k++)
				if (user->clauses.items[j].items.items[k].declared &&
				    fits(unit, directive, user, &user->clauses.items[j]))
					return user->function;
	}
	return -1;
}

void rewrite_declare_reduction(struct unit *unit, const struct directive *directive)
{
	struct text text = {0};
	int function = directive->function;
	unsigned int begin;
	size_t i;

	if (function >= 0 && names_local(unit, directive))
		return;
	for (i = 0; i < directive->declaration->types.count; i++)
		write_functions(unit, directive, i, &text);
	if (function < 0 && !names_incomplete(unit, directive)) {
		edit_replace(&unit->source, directive->offset, directive->end, directive->offset,
			     text.data);
		return;
	}
	if (function < 0)
		function = first_user(unit, directive);
	construct_remove(unit, directive);
	if (function < 0) { /* of no use, and the type may never be complete */
		text_free(&text);
		return;
	}
	begin = unit->tree.functions.items[function].begin;
	edit_before(&unit->source, begin, begin, text.data);
}
