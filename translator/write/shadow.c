/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * shadow.c - private copies.
 *
 * The address of a scalar copy is never taken, nor does that of an original leave the function
 * unless a reduction needs it: either would force the variable into memory inside the loop.
 */
#include "shadow.h"

#include <string.h>

#include "read/reduction.h"
#include "check/sharing.h"
#include "check/task.h"
#include "read/directive_facts.h"
#include "read/unit.h"
#include "loop_text.h"
#include "outline.h"
#include "reduction_scopes.h"
#include "task_text.h"

struct writer {
	const struct unit *unit;
	const struct directive *directive;
	struct text *text;
	unsigned int depth;
	unsigned int scopes; /* variables of task reductions */
};

/* One variable of one clause. */
struct shadow {
	const struct clause *clause;
	const struct item *item;
	const struct variable *variable;
	enum sharing sharing;
	const char *name; /* LENGTH bytes of it */
	int length;
};

typedef void (*shadow_writer)(struct writer *writer, const struct shadow *shadow);

static void line(struct writer *writer, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void line(struct writer *writer, const char *format, ...)
{
	va_list arguments;

	indent(writer->text, writer->depth);
	va_start(arguments, format);
	text_vprint(writer->text, format, arguments);
	va_end(arguments);
	text_add(writer->text, "\n", 1);
}

void shadow_write_alignment(const struct variable *variable, const char *name, struct text *text)
{
	if (variable->aligned)
		text_print(text, "__attribute__((aligned(__alignof__(%.*s)))) ",
			   (int)variable->length, name);
}

static enum task_adds_to adds_to(const struct writer *writer, const struct shadow *shadow)
{
	return shadow->clause->kind == CLAUSE_IN_REDUCTION
		       ? task_adds_to(writer->unit, writer->directive, shadow->item)
		       : TASK_ADDS_TO_NAMED;
}

static void for_each_shadow(struct writer *writer, shadow_writer write)
{
	const struct directive *directive = writer->directive;
	size_t i, j;

	for (i = 0; i < directive->clauses.count; i++) {
		const struct clause *clause = &directive->clauses.items[i];

		if (!is_sharing(clause->kind) ||
		    (directive_is(directive->kind, IS_SERIAL) &&
		     (clause->kind == CLAUSE_LASTPRIVATE || clause->kind == CLAUSE_REDUCTION)))
			continue;
		for (j = 0; j < clause->items.count; j++) {
			const struct item *item = &clause->items.items[j];
			struct shadow shadow = {
				clause,
				item,
				&writer->unit->tree.variables.items[item->variable],
				sharing_of(directive, item->variable),
				writer->unit->source.text.data + item->offset,
				(int)item->length,
			};

			if (directive_is(directive->kind, IS_SERIAL) &&
			    shadow.sharing == SHARING_FIRST_LASTPRIVATE)
				continue;
			if (adds_to(writer, &shadow) == TASK_ADDS_TO_COPY)
				continue;
			write(writer, &shadow);
		}
	}
}

#define NAME(shadow) (shadow)->length, (shadow)->name

static void copy_line(struct writer *writer, const struct shadow *shadow, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* The declaration of a copy, where the name still means what it is a copy of. */
static void copy_line(struct writer *writer, const struct shadow *shadow, const char *format, ...)
{
	va_list arguments;

	indent(writer->text, writer->depth);
	shadow_write_alignment(shadow->variable, shadow->name, writer->text);
	va_start(arguments, format);
	text_vprint(writer->text, format, arguments);
	va_end(arguments);
	text_add(writer->text, "\n", 1);
}

static bool is_array(const struct shadow *shadow)
{
	return shadow->variable->shape == SHAPE_ARRAY;
}

/* A firstprivate array that is const never differs from its original, which serves instead. */
static bool needs_copy(const struct shadow *shadow)
{
	return !is_array(shadow) || !shadow->variable->is_const;
}

/* An array whose last value one thread may store before another has read its first. */
static bool is_read_before(const struct writer *writer, const struct shadow *shadow)
{
	return is_array(shadow) && shadow->sharing == SHARING_FIRST_LASTPRIVATE &&
	       directive_is(writer->directive->kind, IS_PARALLEL);
}

/* The compiler gives them to a task; clang none of a size that varies. */
static bool is_given(const struct writer *writer, const struct shadow *shadow)
{
	return directive_is(writer->directive->kind, IS_TASK) &&
	       shadow->clause->kind == CLAUSE_FIRSTPRIVATE && !shadow->variable->variable_size;
}

static bool is_linear(const struct writer *writer, const struct shadow *shadow)
{
	return sharing_is_linear(writer->directive, shadow->clause, shadow->item);
}

/* What a linear variable begins with, and its step, which the first iteration may not change. */
static void write_linear(struct writer *writer, const struct shadow *shadow)
{
	struct range step = shadow->clause->argument;

	line(writer, "__typeof__(%.*s) cape_value_%.*s = %.*s;", NAME(shadow), NAME(shadow),
	     NAME(shadow));
	line(writer, "long cape_step_of_%.*s = %.*s;", NAME(shadow),
	     step.to ? (int)(step.to - step.from) : 1,
	     step.to ? writer->unit->source.text.data + step.from : "1");
}

static const char *section_text(const struct writer *writer, struct range range, int *length)
{
	*length = (int)(range.to - range.from);
	return writer->unit->source.text.data + range.from;
}

/* Where each dimension of an array section begins and how long it is, evaluated once. */
static void write_section_bounds(struct writer *writer, const struct shadow *shadow)
{
	unsigned int i, j;

	for (i = 0; i < shadow->item->section_count; i++) {
		const struct array_section *section = &shadow->item->sections[i];
		const char *text;
		int length;

		text = section_text(writer, section->lower, &length);
		line(writer, "unsigned long cape_from_%.*s_%u = %.*s;", NAME(shadow), i,
		     length ? length : 1, length ? text : "0");
		text = section_text(writer, section->length, &length);
		indent(writer->text, writer->depth);
		text_print(writer->text, "unsigned long cape_length_%.*s_%u = ", NAME(shadow), i);
		if (!section->is_range) {
			text_print(writer->text, "1;\n");
		} else if (length) {
			text_print(writer->text, "%.*s;\n", length, text);
		} else {
			struct text row = {0};

			text_print(&row, "%.*s", NAME(shadow));
			for (j = 0; j < i; j++)
				text_print(&row, "[0]");
			text_print(writer->text,
				   "sizeof(%s) / sizeof(%s[0]) - cape_from_%.*s_%u;\n", row.data,
				   row.data, NAME(shadow), i);
			text_free(&row);
		}
	}
}

static void write_section(struct writer *writer, const struct shadow *shadow)
{
	line(writer, "__typeof__(&%.*s[0]) cape_original_%.*s = %.*s;", NAME(shadow), NAME(shadow),
	     NAME(shadow));
	write_section_bounds(writer, shadow);
}

/* In the outer scope, where the name still means the original. */
static void write_original(struct writer *writer, const struct shadow *shadow)
{
	bool pointer = false;

	switch (shadow->clause->kind) {
	case CLAUSE_FIRSTPRIVATE:
		if (is_given(writer, shadow))
			break;
		if (!is_array(shadow))
			line(writer, "__typeof__(%.*s) cape_value_%.*s = %.*s;", NAME(shadow),
			     NAME(shadow), NAME(shadow));
		else
			pointer = shadow->sharing == SHARING_FIRSTPRIVATE && needs_copy(shadow);
		if (is_read_before(writer, shadow)) {
			line(writer, "__typeof__(%.*s) cape_value_%.*s;", NAME(shadow),
			     NAME(shadow));
			line(writer, "cape_set_firstprivate(&cape_value_%.*s, &%.*s);",
			     NAME(shadow), NAME(shadow));
		}
		break;
	case CLAUSE_IN_REDUCTION:
	case CLAUSE_REDUCTION:
		/* The construct around has named it already. */
		if (adds_to(writer, shadow) == TASK_ADDS_TO_ORIGINAL)
			break;
		pointer = !shadow->item->section_count;
		if (!pointer)
			write_section(writer, shadow);
		break;
	case CLAUSE_LASTPRIVATE:
		pointer = true;
		if (is_linear(writer, shadow))
			write_linear(writer, shadow);
		break;
	default:
		break;
	}
	if (pointer)
		line(writer, "__typeof__(%.*s) *cape_original_%.*s = &%.*s;", NAME(shadow),
		     NAME(shadow), NAME(shadow));
}

/* "x[0][0]": the first element of array or section NAME. */
static void write_element(struct text *text, const struct shadow *shadow, const char *prefix)
{
	unsigned int i;

	text_print(text, "%s%.*s", prefix, NAME(shadow));
	for (i = 0; i < shadow->variable->levels; i++)
		text_print(text, "[0]");
}

/* Sets COUNT elements at VALUES (expressions) to what the reduction begins with. */
static void write_initial_call(struct writer *writer, const struct shadow *shadow,
			       const char *values, const char *original, const char *element,
			       const char *count)
{
	if (!shadow->item->declared && !shadow->item->own) {
		line(writer, "cape_reduction_identity(%s, %s, CAPE_TYPE(%s), %s);", values,
		     shadow->clause->operator_name, element, count);
		return;
	}
	indent(writer->text, writer->depth);
	reduction_write_check(writer->unit, writer->directive, shadow->clause, shadow->item,
			      element, writer->text);
	text_print(writer->text, "cape_reduction_initial(%s, %s, sizeof(%s), %s, ", values,
		   original, element, count);
	reduction_write_function(writer->unit, writer->directive, shadow->clause, shadow->item,
				 "initial", element, writer->text);
	text_print(writer->text, ");\n");
}

/* Hands over COUNT elements at VALUES, whose result goes to ORIGINAL. */
static void write_reduction_call(struct writer *writer, const struct shadow *shadow,
				 const char *values, const char *original, const char *element,
				 const char *count)
{
	const char *call = is_in_reduction(writer->directive, shadow->clause)
				   ? "cape_task_reduction"
				   : "cape_reduction";

	if (!shadow->item->declared && !shadow->item->own) {
		line(writer, "%s(%s, %s, %s, CAPE_TYPE(%s), %s);", call, values, original,
		     shadow->clause->operator_name, element, count);
		return;
	}
	indent(writer->text, writer->depth);
	text_print(writer->text, "%s_user(%s, %s, sizeof(%s), %s, ", call, values, original,
		   element, count);
	reduction_write_function(writer->unit, writer->directive, shadow->clause, shadow->item,
				 "combine", element, writer->text);
	text_print(writer->text, ");\n");
}

/* A copy of the user's own type may point to itself. */
static void write_declared_identity(struct writer *writer, const struct shadow *shadow)
{
	char *copy = format_text("&%.*s", NAME(shadow));
	char *original = format_text("cape_original_%.*s", NAME(shadow));

	copy_line(writer, shadow, "__typeof__(*%s) %s;", original, copy + 1);
	write_initial_call(writer, shadow, copy, original, copy + 1, "1");
	memory_free(copy);
	memory_free(original);
}

/* What CLAUSE begins with as a constant, or NULL: there is none. */
static const char *identity_of(const struct clause *clause)
{
	const char *operator_name = clause->operator_name;

	return clause->logical_or_sum			? "0"
	       : !strcmp(operator_name, "CAPE_BIT_AND") ? "-1"
	       : !strcmp(operator_name, "CAPE_MULTIPLY") ||
			       !strcmp(operator_name, "CAPE_LOGICAL_AND")
		       ? "1"
		       : NULL;
}

/* The copy's own address is not taken: calls are given another one, or its value. */
static void write_identity(struct writer *writer, const struct shadow *shadow)
{
	const char *value = identity_of(shadow->clause);
	char *identity, *original, *element;

	if (value) {
		copy_line(writer, shadow, "__typeof__(*cape_original_%.*s) %.*s = %s;",
			  NAME(shadow), NAME(shadow), value);
		return;
	}
	identity = format_text("&cape_identity_%.*s", NAME(shadow));
	original = format_text("cape_original_%.*s", NAME(shadow));
	element = format_text("*cape_original_%.*s", NAME(shadow));
	line(writer, "__typeof__(*cape_original_%.*s) %s;", NAME(shadow), identity + 1);
	write_initial_call(writer, shadow, identity, original, element, "1");
	copy_line(writer, shadow, "__typeof__(*cape_original_%.*s) %.*s = %s;", NAME(shadow),
		  NAME(shadow), identity + 1);
	memory_free(identity);
	memory_free(original);
	memory_free(element);
}

/* The copy of an array or of the rows of a section, filled with the identity. */
static void write_array_identity(struct writer *writer, const struct shadow *shadow)
{
	bool section = shadow->item->section_count > 0;
	char *name = format_text("%s%.*s", section ? "cape_part_" : "", NAME(shadow));
	struct text original = {0}, element = {0}, count = {0};

	text_print(&original, "cape_original_%.*s", NAME(shadow));
	write_element(&element, shadow, section ? "cape_part_" : "");
	text_print(&count, "sizeof %s / sizeof %s", name, element.data);
	if (section) {
		text_print(&original, " + cape_from_%.*s_0", NAME(shadow));
		line(writer, "__typeof__(*cape_original_%.*s) %s[cape_length_%.*s_0];",
		     NAME(shadow), name, NAME(shadow));
	} else {
		copy_line(writer, shadow, "__typeof__(*cape_original_%.*s) %s;", NAME(shadow),
			  name);
	}
	write_initial_call(writer, shadow, name, original.data, element.data, count.data);
	if (section)
		line(writer,
		     "__typeof__(cape_original_%.*s) %.*s = CAPE_ROWS(%s, cape_from_%.*s_0);",
		     NAME(shadow), NAME(shadow), name, NAME(shadow));
	memory_free(name);
	text_free(&original);
	text_free(&element);
	text_free(&count);
}

/* In the inner scope: from here on the name means the copy. */
static void write_copy(struct writer *writer, const struct shadow *shadow)
{
	switch (shadow->clause->kind) {
	case CLAUSE_PRIVATE:
		copy_line(writer, shadow, "__typeof__(%.*s) %.*s;", NAME(shadow), NAME(shadow));
		break;
	case CLAUSE_FIRSTPRIVATE:
		if (is_given(writer, shadow) || !needs_copy(shadow))
			break;
		if (!is_array(shadow)) {
			copy_line(writer, shadow, "__typeof__(%.*s) %.*s = cape_value_%.*s;",
				  NAME(shadow), NAME(shadow), NAME(shadow));
			break;
		}
		copy_line(writer, shadow, "__typeof__(%.*s) %.*s;", NAME(shadow), NAME(shadow));
		line(writer, "cape_set_firstprivate(&%.*s, %s%.*s);", NAME(shadow),
		     is_read_before(writer, shadow) ? "&cape_value_" : "cape_original_",
		     NAME(shadow));
		break;
	case CLAUSE_LASTPRIVATE:
		if (is_linear(writer, shadow))
			copy_line(writer, shadow,
				  "__typeof__(cape_value_%.*s) %.*s, cape_next_%.*s = "
				  "cape_value_%.*s;",
				  NAME(shadow), NAME(shadow), NAME(shadow), NAME(shadow));
		else if (shadow->sharing == SHARING_LASTPRIVATE)
			copy_line(writer, shadow, "__typeof__(*cape_original_%.*s) %.*s;",
				  NAME(shadow), NAME(shadow));
		break;
	case CLAUSE_IN_REDUCTION:
	case CLAUSE_REDUCTION:
		if (is_array(shadow) || shadow->item->section_count)
			write_array_identity(writer, shadow);
		else if (shadow->item->declared)
			write_declared_identity(writer, shadow);
		else
			write_identity(writer, shadow);
		break;
	default:
		break;
	}
}

static void write_volatile(struct writer *writer, const struct shadow *shadow)
{
	if (shadow->variable->is_volatile && shadow->sharing != SHARING_FIRST_LASTPRIVATE)
		line(writer, "cape_set_volatile(&%.*s);", NAME(shadow));
}

/* reduction(task, ...): tasks that know the original contribute to the copy. */
static bool has_scope(const struct writer *writer, const struct shadow *shadow)
{
	return shadow->clause->kind == CLAUSE_IN_REDUCTION
		       ? adds_to(writer, shadow) == TASK_ADDS_TO_NAMED &&
				 task_reduces_own(writer->unit, writer->directive, shadow->item)
		       : shadow->clause->kind == CLAUSE_REDUCTION && shadow->clause->of_tasks;
}

static void write_copy_scope(struct writer *writer, const struct shadow *shadow)
{
	if (!has_scope(writer, shadow))
		return;
	if (shadow->clause->kind == CLAUSE_IN_REDUCTION)
		line(writer,
		     shadow->item->section_count
			     ? "cape_task_reduction_scope(cape_original_%.*s + cape_from_%.*s_0, "
			       "sizeof cape_part_%.*s, (void *)0);"
			     : "cape_task_reduction_scope(cape_original_%.*s, sizeof %.*s, "
			       "(void *)0);",
		     NAME(shadow), NAME(shadow), NAME(shadow));
	else if (shadow->item->section_count)
		line(writer,
		     "cape_task_reduction_scope(cape_original_%.*s + cape_from_%.*s_0, "
		     "sizeof cape_part_%.*s, cape_part_%.*s);",
		     NAME(shadow), NAME(shadow), NAME(shadow), NAME(shadow));
	else
		line(writer, "cape_task_reduction_scope(cape_original_%.*s, sizeof %.*s, &%.*s);",
		     NAME(shadow), NAME(shadow), NAME(shadow));
	writer->scopes++;
}

/* What is read of originals is read before any thread can change one. */
static void open_shadows(struct writer *writer, unsigned int *depth)
{
	struct text outer = {0};
	struct writer originals = *writer;

	originals.text = &outer;
	originals.depth++;
	for_each_shadow(&originals, write_original);
	outline_write_originals(writer->unit, writer->directive, &outer, originals.depth);
	if (outer.length) {
		line(writer, "{");
		text_add(writer->text, outer.data, outer.length);
		writer->depth++;
	}
	text_free(&outer);
	if (directive_is(writer->directive->kind, IS_TASK))
		task_write_pragma(writer->unit, writer->directive, writer->text, writer->depth);
	else
		outline_write(writer->unit, writer->directive, writer->text, writer->depth);
	line(writer, "{");
	writer->depth++;
	if (directive_is(writer->directive->kind, IS_TASK))
		line(writer, "cape_task_body();");
	outline_write_copyin(writer->unit, writer->directive, writer->text, writer->depth);
	for_each_shadow(writer, write_copy);
	for_each_shadow(writer, write_volatile);
	outline_write_values_read(writer->directive, writer->text, writer->depth);
	for_each_shadow(writer, write_copy_scope);
	loop_write_variables(writer->unit, writer->directive, writer->text, writer->depth, false);
	*depth = writer->depth;
}

void shadow_open(const struct unit *unit, const struct directive *directive, struct text *text,
		 unsigned int *depth)
{
	struct writer writer = {unit, directive, text, *depth, 0};

	open_shadows(&writer, depth);
}

/* "[cape_from_x_0][cape_from_x_1]": where a section begins. */
static void write_section_start(struct text *text, const struct shadow *shadow)
{
	unsigned int i;

	for (i = 0; i < shadow->item->section_count; i++)
		text_print(text, "[cape_from_%.*s_%u]", NAME(shadow), i);
}

static void write_array_reduction(struct writer *writer, const struct shadow *shadow)
{
	struct text element = {0}, values = {0}, original = {0}, count = {0};
	unsigned int i;

	write_element(&element, shadow, "");
	text_print(&values, "%s%.*s", shadow->item->section_count ? "&" : "", NAME(shadow));
	text_print(&original, "%scape_original_%.*s", shadow->item->section_count ? "&" : "",
		   NAME(shadow));
	write_section_start(&values, shadow);
	write_section_start(&original, shadow);
	for (i = 0; i < shadow->item->section_count; i++)
		text_print(&count, "cape_length_%.*s_%u * ", NAME(shadow), i);
	text_print(&count, "(sizeof %s / sizeof %s)",
		   values.data + (shadow->item->section_count > 0), element.data);
	write_reduction_call(writer, shadow, values.data, original.data, element.data, count.data);
	text_free(&element);
	text_free(&values);
	text_free(&original);
	text_free(&count);
}

static void write_scalar_reduction(struct writer *writer, const struct shadow *shadow)
{
	char *original = format_text("cape_original_%.*s", NAME(shadow));

	line(writer, "{");
	writer->depth++;
	line(writer, "__typeof__(%.*s) cape_part = %.*s;", NAME(shadow), NAME(shadow));
	write_reduction_call(writer, shadow, "&cape_part", original, "cape_part", "1");
	writer->depth--;
	line(writer, "}");
	memory_free(original);
}

/* Hands over what one thread has, and begins anew for the next. */
static void write_next_thread(struct writer *writer, const struct shadow *shadow)
{
	const char *value;

	if (!is_reduction(shadow->clause->kind))
		return;
	value = identity_of(shadow->clause);
	write_scalar_reduction(writer, shadow);
	if (value)
		line(writer, "%.*s = %s;", NAME(shadow), value);
	else
		line(writer, "%.*s = cape_identity_%.*s;", NAME(shadow), NAME(shadow));
}

void shadow_write_chunk_of_threads(const struct unit *unit, const struct directive *directive,
				   struct text *text, unsigned int depth)
{
	struct writer writer = {unit, directive, text, depth, 0};

	line(&writer, "int cape_given;");
	line(&writer, "while ((cape_given = cape_chunk_of_threads(&cape_left, &cape_right))) {");
	writer.depth++;
	line(&writer, "if (cape_given > 1) {");
	writer.depth++;
	for_each_shadow(&writer, write_next_thread);
	writer.depth--;
	line(&writer, "}");
}

const char *shadow_last(const struct directive *directive)
{
	return directive->kind == DIRECTIVE_TASKLOOP ? "cape_right == cape_trips"
						     : "cape_is_last()";
}

/* After the block: the copies' values go where they belong. */
static void write_result(struct writer *writer, const struct shadow *shadow)
{
	if (shadow->clause->kind == CLAUSE_LASTPRIVATE) {
		if (sharing_is_loop_variable(writer->directive, shadow->item->variable))
			return; /* its last value is not that of the last iteration */
		if (is_array(shadow)) {
			line(writer, "if (%s)", shadow_last(writer->directive));
			line(writer, "\tcape_set_lastprivate(&%.*s, cape_original_%.*s);",
			     NAME(shadow), NAME(shadow));
			return;
		}
		line(writer, "if (%s)", shadow_last(writer->directive));
		line(writer, "\t*cape_original_%.*s = %.*s;", NAME(shadow), NAME(shadow));
	} else if (is_reduction(shadow->clause->kind)) {
		if (is_array(shadow) || shadow->item->section_count) {
			write_array_reduction(writer, shadow);
			return;
		}
		write_scalar_reduction(writer, shadow);
	}
}

static void count_copy_scope(struct writer *writer, const struct shadow *shadow)
{
	writer->scopes += has_scope(writer, shadow);
}

/* The copies' own parts are handed over before: they go where the scopes say. */
void shadow_close(const struct unit *unit, const struct directive *directive, struct text *text,
		  unsigned int *depth, unsigned int to_depth)
{
	struct writer writer = {unit, directive, text, *depth, 0};

	for_each_shadow(&writer, write_result);
	for_each_shadow(&writer, count_copy_scope);
	reduction_scopes_leave(writer.scopes, text, writer.depth);
	while (writer.depth > to_depth) {
		writer.depth--;
		line(&writer, "}");
	}
	*depth = writer.depth;
}

static void write_name(struct writer *writer, const char *prefix, const struct shadow *shadow)
{
	text_print(writer->text, "%s%s%.*s", writer->text->length ? ", " : "", prefix,
		   NAME(shadow));
}

static void write_section_given(struct writer *writer, const struct shadow *shadow)
{
	unsigned int i;

	for (i = 0; i < shadow->item->section_count; i++)
		text_print(writer->text, ", cape_from_%.*s_%u, cape_length_%.*s_%u", NAME(shadow),
			   i, NAME(shadow), i);
}

static void write_given(struct writer *writer, const struct shadow *shadow)
{
	if (shadow->variable->variable_size)
		return;
	switch (shadow->clause->kind) {
	case CLAUSE_FIRSTPRIVATE:
		write_name(writer, "", shadow);
		break;
	case CLAUSE_LASTPRIVATE:
		write_name(writer, "cape_original_", shadow);
		if (is_linear(writer, shadow)) {
			write_name(writer, "cape_value_", shadow);
			write_name(writer, "cape_step_of_", shadow);
		}
		break;
	case CLAUSE_IN_REDUCTION:
	case CLAUSE_REDUCTION:
		write_name(writer, "cape_original_", shadow);
		write_section_given(writer, shadow);
		break;
	default:
		break;
	}
}

void shadow_write_given(const struct unit *unit, const struct directive *task, struct text *text)
{
	struct writer writer = {unit, task, text, 0, 0};

	for_each_shadow(&writer, write_given);
}
