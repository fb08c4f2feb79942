/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reduction_scopes.c - where the parts that tasks add to a reduction go: to the original itself.
 */
#include "reduction_scopes.h"

#include "read/directive.h"
#include "read/unit.h"
#include "shadow.h"

/* LENGTH bytes of the program. */
struct piece {
	const char *text;
	int length;
};

static struct piece piece_of(const struct unit *unit, struct range range)
{
	return (struct piece){unit->source.text.data + range.from, (int)(range.to - range.from)};
}

static void write_section_scope(struct piece name, struct piece lower, struct piece rows,
				bool is_range, struct text *text)
{
	text_print(text, "cape_task_reduction_scope(&%.*s[%.*s], ", name.length, name.text,
		   lower.length, lower.text);
	if (!is_range)
		text_print(text, "sizeof(%.*s[0])", name.length, name.text);
	else if (rows.length)
		text_print(text, "(%.*s) * sizeof(%.*s[0])", rows.length, rows.text, name.length,
			   name.text);
	else
		text_print(text, "sizeof(%.*s) - (%.*s) * sizeof(%.*s[0])", name.length, name.text,
			   lower.length, lower.text, name.length, name.text);
	text_print(text, ", &%.*s[%.*s]);\n", name.length, name.text, lower.length, lower.text);
}

static void write_scope(const struct unit *unit, const struct item *item, struct text *text)
{
	const struct array_section *section = item->sections;
	struct piece name = {unit->source.text.data + item->offset, (int)item->length}, lower;

	if (!item->section_count) {
		text_print(text, "cape_task_reduction_scope(&%.*s, sizeof %.*s, &%.*s);\n",
			   name.length, name.text, name.length, name.text, name.length, name.text);
		return;
	}
	lower = piece_of(unit, section->lower);
	if (!lower.length)
		lower = (struct piece){"0", 1};
	write_section_scope(name, lower, piece_of(unit, section->length), section->is_range, text);
}

unsigned int reduction_scopes_begin(const struct unit *unit, const struct directive *directive,
				    struct text *text, unsigned int depth)
{
	unsigned int count = 0;
	size_t i, j;

	for (i = 0; i < directive->clauses.count; i++) {
		const struct clause *clause = &directive->clauses.items[i];

		if (clause->kind != CLAUSE_TASK_REDUCTION && clause->kind != CLAUSE_REDUCTION)
			continue;
		for (j = 0; j < clause->items.count; j++, count++) {
			indent(text, depth);
			write_scope(unit, &clause->items.items[j], text);
		}
	}
	return count;
}

void reduction_scopes_leave(unsigned int count, struct text *text, unsigned int depth)
{
	if (!count)
		return;
	indent(text, depth);
	text_print(text, "cape_task_reduction_leave(%u);\n", count);
}
