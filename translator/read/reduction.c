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

void reduction_write_function(const struct unit *unit, const struct directive *directive,
			      const struct clause *clause, const char *which, const char *element,
			      struct text *text)
{
	const char *source = unit->source.text.data, *separator = "";
	unsigned int count = 0;
	size_t i, j;

	for (i = unit->directives.list.count; i-- > 0;) { /* inner scopes first */
		const struct directive *declared = &unit->directives.list.items[i];

		if (!fits(unit, declared, directive, clause))
			continue;
		text_print(text, "%s_Generic((%s)", separator, element);
		for (j = 0; j < declared->declaration->types.count; j++) {
			struct range type = declared->declaration->types.items[j];

			text_print(text, ", %.*s: cape_%s_%u_%zu", (int)(type.to - type.from),
				   source + type.from, which, declared->offset, j);
		}
		separator = ", default: ";
		count++;
	}
	while (count--)
		text_print(text, ")");
}

static void write_functions(const struct unit *unit, const struct directive *directive,
			    size_t index, struct text *text)
{
	const struct declaration *declaration = directive->declaration;
	struct range type = declaration->types.items[index];
	const char *source = unit->source.text.data;
	int combiner = (int)(declaration->combiner.to - declaration->combiner.from);
	int initial = (int)(declaration->initial.to - declaration->initial.from);
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
		   "\t%s omp_orig __attribute__((unused)) = *(const %s *)cape_in;\n"
		   "\t%s omp_priv = %.*s;\n",
		   directive->offset, index, name, name, name, declaration->assigns ? initial : 3,
		   declaration->assigns ? source + declaration->initial.from : "{0}");
	if (initial && !declaration->assigns)
		text_print(text, "\t%.*s;\n", initial, source + declaration->initial.from);
	text_print(text,
		   "\t*(%s *)cape_out = omp_priv;\n"
		   "}\n",
		   name);
	memory_free(name);
}

void rewrite_declare_reduction(struct unit *unit, const struct directive *directive)
{
	struct text text = {0};
	unsigned int begin;
	size_t i;

	for (i = 0; i < directive->declaration->types.count; i++)
		write_functions(unit, directive, i, &text);
	if (directive->function < 0) {
		edit_replace(&unit->source, directive->offset, directive->end, directive->offset,
			     text.data);
		return;
	}
	begin = unit->tree.functions.items[directive->function].begin;
	edit_before(&unit->source, begin, begin, text.data);
	construct_remove(unit, directive);
}
