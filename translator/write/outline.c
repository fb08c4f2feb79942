/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * outline.c - the pragma by which the compiler makes a function of a region's block.
 *
 * That of threadprivate stays where it is: the compiler makes variables thread-local by it.
 */
#include "outline.h"

#include "check/sharing.h"
#include "read/directive_facts.h"
#include "read/unit.h"

bool outline_any(const struct unit *unit)
{
	size_t i;

	for (i = 0; i < unit->directives.list.count; i++)
		if (directive_is(unit->directives.list.items[i].kind, IS_PARALLEL) ||
		    unit->directives.list.items[i].spread)
			return true;
	return false;
}

bool outline_any_thread_local(const struct unit *unit)
{
	size_t i;

	for (i = 0; i < unit->directives.list.count; i++)
		if (unit->directives.list.items[i].kind == DIRECTIVE_THREADPRIVATE)
			return true;
	return false;
}

/* What the loop carries has no address outside of the block. */
static void write_spread(const struct unit *unit, const struct directive *directive,
			 struct text *text, unsigned int depth)
{
	indent(text, depth);
	text_print(text, "#pragma omp parallel");
	for (size_t i = 0; i < directive->carried.count; i++) {
		const struct variable *variable =
			&unit->tree.variables.items[directive->carried.items[i]];

		text_print(text, "%s%.*s", i ? ", " : " firstprivate(", (int)variable->length,
			   unit->source.text.data + variable->offset);
	}
	text_print(text, "%s\n", directive->carried.count ? ")" : "");
}

/*
 * No clause: the calls before it say how many threads there are, the copies are the block's own.  A
 * node outside of the team calls the block's function, too: what the compiler puts on the stack for
 * the call is the same on all nodes then.
 */
void outline_write(const struct unit *unit, const struct directive *directive, struct text *text,
		   unsigned int depth)
{
	if (directive->spread) {
		write_spread(unit, directive, text, depth);
		return;
	}
	if (!directive_is(directive->kind, IS_PARALLEL))
		return;
	indent(text, depth);
	text_print(text, "#pragma omp parallel\n");
	if (directive->kind != DIRECTIVE_PARALLEL)
		return;
	indent(text, depth);
	text_print(text, "if (cape_in_team())\n");
}

/* A line for each variable of copyin: INSIDE the block, or before; whether there is any. */
static bool write_copied_in(const struct unit *unit, const struct directive *directive,
			    struct text *text, unsigned int depth, bool inside)
{
	const char *name;
	int length;
	bool any = false;
	size_t i, j;

	for (i = 0; i < directive->clauses.count; i++) {
		const struct clause *clause = &directive->clauses.items[i];

		for (j = 0; clause->kind == CLAUSE_COPYIN && j < clause->items.count; j++) {
			name = unit->source.text.data + clause->items.items[j].offset;
			length = (int)clause->items.items[j].length;
			indent(text, depth);
			if (inside)
				text_print(text,
					   "cape_copyin(&%.*s, cape_copyin_%.*s, sizeof %.*s);\n",
					   length, name, length, name, length, name);
			else
				text_print(text, "__typeof__(%.*s) *cape_copyin_%.*s = &%.*s;\n",
					   length, name, length, name, length, name);
			any = true;
		}
	}
	return any;
}

void outline_write_originals(const struct unit *unit, const struct directive *directive,
			     struct text *text, unsigned int depth)
{
	write_copied_in(unit, directive, text, depth, false);
}

void outline_write_copyin(const struct unit *unit, const struct directive *directive,
			  struct text *text, unsigned int depth)
{
	if (!write_copied_in(unit, directive, text, depth, true))
		return;
	indent(text, depth);
	text_print(text, "cape_values_read();\n");
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

static bool is_outlined(const struct unit *unit, unsigned int offset)
{
	size_t i;

	for (i = 0; i < unit->directives.list.count; i++) {
		const struct directive *directive = &unit->directives.list.items[i];

		if ((directive_is(directive->kind, IS_PARALLEL) ||
		     directive_is(directive->kind, IS_TASK)) &&
		    offset > directive->body.from && offset < directive->body.to)
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
		    variable->in_loop_header || !is_outlined(unit, variable->offset))
			continue;
		edit_before(source, source_declaration_end(source, variable->offset),
			    variable->offset,
			    format_text(" cape_set_volatile(&%.*s);", (int)variable->length,
					source->text.data + variable->offset));
	}
}
