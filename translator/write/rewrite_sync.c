/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rewrite_sync.c - critical, ordered, flush. */
#include "rewrite_sync.h"

#include <ctype.h>
#include <string.h>
#include "model/followed.h"
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

/* Those of which the address is known before the program runs. */
static void write_flushed(const struct unit *unit, const struct item *item, struct text *text)
{
	const struct variable *variable = &unit->tree.variables.items[item->variable];

	if (!variable->automatic && !variable->threadprivate)
		text_print(text, "\tCAPE_FLUSHED(%.*s);\n", (int)item->length,
			   unit->source.text.data + item->offset);
}

/* The directive that comes after this one in the text, or NULL. */
static const struct directive *next_directive(const struct unit *unit,
					      const struct directive *directive)
{
	const struct directive *next = NULL;

	for (size_t i = 0; i < unit->directives.list.count; i++) {
		const struct directive *other = &unit->directives.list.items[i];

		if (other->offset >= directive->end && (!next || other->offset < next->offset))
			next = other;
	}
	return next;
}

/* Whether there is nothing from FROM on before TO but one simple assignment, or not even that. */
static bool is_assignment(const struct unit *unit, unsigned int from, unsigned int to)
{
	static const char *const leaves[] = {"return", "break", "continue", "goto"};
	const char *text = unit->source.text.data;
	bool ended = false;

	for (unsigned int i = from; i < to; i++) {
		/* Of which line of the source the next one is. */
		while (i < to && text[i] == '#')
			i += (unsigned int)strcspn(text + i, "\n") + 1;
		if (i >= to)
			break;
		if (strchr("{}(?:", text[i]) || (ended && !isspace((unsigned char)text[i])))
			return false;
		for (size_t j = 0; j < sizeof(leaves) / sizeof(leaves[0]); j++)
			if (!strncmp(text + i, leaves[j], strlen(leaves[j])))
				return false;
		ended |= text[i] == ';';
	}
	return true;
}

/* Whether the next thing that the thread does publishes what it has written then. */
static bool is_first(const struct unit *unit, const struct directive *directive)
{
	const struct directive *next = next_directive(unit, directive);
	const struct clause *access = next ? directive_clause(next, CLAUSE_ACCESS) : NULL;

	if (!next || !is_assignment(unit, directive->end, next->offset))
		return false;
	return next->kind == DIRECTIVE_FLUSH ||
	       (next->kind == DIRECTIVE_ATOMIC && access && !strcmp(access->name, "write"));
}

void rewrite_flush(struct unit *unit, const struct directive *directive)
{
	const struct clause *list = directive_clause(directive, CLAUSE_LIST);
	struct text text = {0};
	size_t i;

	if (!list) {
		construct_open(unit, directive,
			       format_text(is_first(unit, directive) ? "cape_flush_first();\n"
								     : "cape_flush();\n"));
		return;
	}
	text_print(&text, "{\n");
	for (i = 0; i < list->items.count; i++)
		write_flushed(unit, &list->items.items[i], &text);
	text_print(&text, "\tcape_flush_list(%s%zu",
		   followed_is_step(unit, directive) ? "CAPE_FLUSH_STEP | " : "",
		   list->items.count);
	for (i = 0; i < list->items.count; i++) {
		const struct item *item = &list->items.items[i];
		const char *name = unit->source.text.data + item->offset;

		text_print(&text, ", &%.*s, (unsigned long)sizeof(%.*s)", (int)item->length, name,
			   (int)item->length, name);
	}
	text_print(&text, ");\n}\n");
	construct_open(unit, directive, text.data);
}
