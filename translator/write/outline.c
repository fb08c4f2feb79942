/* SPDX-License-Identifier: GPL-2.0-or-later */
/* outline.c - the pragma by which the compiler makes a function of a region's block. */
#include "outline.h"

#include "check/sharing.h"
#include "read/directive_facts.h"
#include "read/unit.h"

bool outline_any(const struct unit *unit)
{
	size_t i;

	for (i = 0; i < unit->directives.list.count; i++)
		if (directive_is(unit->directives.list.items[i].kind, IS_PARALLEL))
			return true;
	return false;
}

/* No clause: the calls before it say how many threads there are, the copies are the block's own. */
void outline_write(const struct directive *directive, struct text *text, unsigned int depth)
{
	if (!directive_is(directive->kind, IS_PARALLEL))
		return;
	indent(text, depth);
	text_print(text, "#pragma omp parallel\n");
}

static bool gives_first_and_last(const struct directive *directive, const struct clause *clause)
{
	size_t i;

	if (clause->linear)
		return true;
	for (i = 0; clause->kind == CLAUSE_LASTPRIVATE && i < clause->items.count; i++)
		if (sharing_of(directive, clause->items.items[i].variable) ==
		    SHARING_FIRST_LASTPRIVATE)
			return true;
	return false;
}

/* One thread may be at its end before another has begun; a region's values are read before it. */
void outline_write_values_read(const struct directive *directive, struct text *text,
			       unsigned int depth)
{
	size_t i;

	if (directive->kind != DIRECTIVE_FOR && directive->kind != DIRECTIVE_SECTIONS)
		return;
	for (i = 0; i < directive->clauses.count; i++)
		if (gives_first_and_last(directive, &directive->clauses.items[i])) {
			indent(text, depth);
			text_print(text, "cape_values_read();\n");
			return;
		}
}

static bool is_in_region(const struct unit *unit, unsigned int offset)
{
	size_t i;

	for (i = 0; i < unit->directives.list.count; i++) {
		const struct directive *directive = &unit->directives.list.items[i];

		if (directive_is(directive->kind, IS_PARALLEL) && offset > directive->body.from &&
		    offset < directive->body.to)
			return true;
	}
	return false;
}

void outline_variables(struct unit *unit)
{
	struct source *source = &unit->source;
	size_t i;

	for (i = 0; i < unit->tree.variables.count; i++) {
		const struct variable *variable = &unit->tree.variables.items[i];

		if (!variable->is_volatile || !variable->automatic || variable->parameter ||
		    variable->in_loop_header || !is_in_region(unit, variable->offset))
			continue;
		edit_before(source, source_declaration_end(source, variable->offset),
			    variable->offset,
			    format_text(" cape_set_volatile(&%.*s);", (int)variable->length,
					source->text.data + variable->offset));
	}
}
