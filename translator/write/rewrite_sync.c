/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rewrite_sync.c - critical, ordered, atomic, flush. */
#include "rewrite_sync.h"

#include "check/atomic.h"
#include "read/construct.h"
#include "read/report.h"
#include "read/unit.h"

void rewrite_critical(struct unit *unit, const struct directive *directive)
{
	int length = (int)(directive->argument.to - directive->argument.from);
	const char *text = unit->source.text.data + directive->argument.from;
	char *name = length ? format_text("\"%.*s\"", length, text) : format_text("(void *)0");

	construct_open(unit, directive, format_text("{\n\tcape_critical_begin(%s);\n", name));
	construct_close(unit, directive, format_text("\tcape_critical_end(%s);\n}\n", name));
	memory_free(name);
}

void rewrite_ordered(struct unit *unit, const struct directive *directive)
{
	construct_open(unit, directive, format_text("{\n\tcape_ordered_begin();\n"));
	construct_close(unit, directive, format_text("\tcape_ordered_end();\n}\n"));
}

void rewrite_flush(struct unit *unit, const struct directive *directive)
{
	const struct clause *list = directive_clause(directive, CLAUSE_LIST);
	struct text text = {0};
	size_t i;

	if (!list) {
		construct_open(unit, directive, format_text("cape_flush();\n"));
		return;
	}
	text_print(&text, "cape_flush_list(%zu", list->items.count);
	for (i = 0; i < list->items.count; i++) {
		const struct item *item = &list->items.items[i];
		const char *name = unit->source.text.data + item->offset;

		text_print(&text, ", &%.*s, (unsigned long)sizeof(%.*s)", (int)item->length, name,
			   (int)item->length, name);
	}
	text_print(&text, ");\n");
	construct_open(unit, directive, text.data);
}

/* Whether evaluating the variable more than once is the same as once. */
static bool is_plain(const struct source *source, struct part variable)
{
	unsigned int at;

	for (at = variable.first; at < variable.end; at++)
		if (part_is(source, variable, at, "(") || part_is(source, variable, at, "++") ||
		    part_is(source, variable, at, "--"))
			return false;
	return true;
}

/* A call may synchronise, so that it must not stand between cape_atomic_begin() and _end(). */
static bool has_call(const struct source *source, struct part value)
{
	unsigned int at;

	for (at = value.first; at + 1 < value.end; at++)
		if (source->tokens.items[at].kind == TOKEN_NAME &&
		    part_is(source, value, at + 1, "("))
			return true;
	return false;
}

/* Lets WORDS stand for PART, wherever it is in the statement outside of SKIPPED. */
static void replace_part(struct unit *unit, const struct directive *directive, struct part part,
			 struct part skipped, const char *words)
{
	struct source *source = &unit->source;
	unsigned int length = part.end - part.first;
	unsigned int at = source_token_at(source, directive->body.from);
	unsigned int end = source_token_at(source, directive->body.to);

	while (at + length <= end) {
		struct part here = {at, at + length};
		struct range range = part_text(source, here);

		if (at == skipped.first && at < skipped.end) {
			at = skipped.end;
			continue;
		}
		if (!part_same(source, part, here)) {
			at++;
			continue;
		}
		edit_replace(source, range.from, range.to, range.from, format_text("%s", words));
		at += length;
	}
}

/* What is pushed and fetched is bytes that have an address. */
static bool is_bit_field(struct unit *unit, struct part variable)
{
	const struct token *last =
		&unit->source.tokens.items[part_inside(&unit->source, variable).end - 1];
	size_t i;

	for (i = 0; i < unit->tree.bit_fields.count; i++)
		if (unit->tree.bit_fields.items[i] == last->offset) {
			report_error(unit, last->offset,
				     "'%.*s' is a bit-field, on which 'omp atomic' is not "
				     "supported: use 'omp critical', or a member of its own",
				     (int)last->length, unit->source.text.data + last->offset);
			return true;
		}
	return false;
}

/* Whether x == value is by their bits. */
static void rewrite_equality(struct unit *unit, const struct atomic *atomic, const char *variable)
{
	struct range range = part_text(&unit->source, atomic->equality);
	struct text other = {0};

	if (atomic->equality.first >= atomic->equality.end)
		return;
	source_copy(&unit->source, part_text(&unit->source, atomic->other), &other);
	edit_replace(&unit->source, range.from, range.to, range.from,
		     format_text("cape_same(%s, %s)", variable, other.data));
	text_free(&other);
}

void rewrite_atomic(struct unit *unit, const struct directive *directive)
{
	struct text variable = {0}, value = {0}, text = {0};
	struct source *source = &unit->source;
	struct atomic atomic;

	if (!atomic_read(unit, directive, &atomic) || is_bit_field(unit, atomic.variable))
		return;
	source_copy(source, part_text(source, atomic.variable), &variable);
	if (atomic.value.first < atomic.value.end)
		source_copy(source, part_text(source, atomic.value), &value);
	else
		text_print(&value, "1");
	text_print(&text, "{\n");
	if (!is_plain(source, atomic.variable)) {
		text_print(&text, "\t__typeof__(%s) *cape_variable = &(%s);\n", variable.data,
			   variable.data);
		replace_part(unit, directive, atomic.variable, atomic.equality, "(*cape_variable)");
		variable.length = 0;
		text_print(&variable, "*cape_variable");
	}
	if (has_call(source, atomic.value)) {
		text_print(&text, "\t__typeof__(%s) cape_value = %s;\n", value.data, value.data);
		replace_part(unit, directive, atomic.value, atomic.equality, "cape_value");
		value.length = 0;
		text_print(&value, "cape_value");
	}
	rewrite_equality(unit, &atomic, variable.data);
	if (atomic.operator_name)
		text_print(&text, "\tif (!cape_atomic_update(%s, %s, %c, (%s)))\n", variable.data,
			   atomic.operator_name, atomic.negated ? '-' : '+', value.data);
	text_print(&text, "\t{\n\t\tcape_atomic_begin(&(%s), %s%s);\n", variable.data, atomic.kind,
		   atomic.flushes ? " | CAPE_ATOMIC_FLUSH" : "");
	construct_open(unit, directive, text.data);
	construct_close(unit, directive, format_text("\t\tcape_atomic_end();\n\t}\n}\n"));
	text_free(&variable);
	text_free(&value);
}
