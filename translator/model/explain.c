/* SPDX-License-Identifier: GPL-2.0-or-later */
/* explain.c - what is known of what each loop reads and writes, for a reader and as JSON. */
#include "explain.h"

#include <string.h>

#include "range.h"
#include "read/directive_facts.h"
#include "read/unit.h"

/* The sets, as they are shown: reads and writes that differ by constants are one line. */
enum shown {
	SHOWN_READ,
	SHOWN_WRITE,
	SHOWN_MAY_WRITE,
	SHOWN_INDEX,
	SHOWN_COUNT,
};

typedef LIST(struct ranges) ranges_list;

static void add_access(struct unit *unit, const struct sets *sets, const struct part_of_set *part,
		       ranges_list *lists)
{
	struct ranges ranges = {0};
	ranges_list *list = &lists[part->set == SET_READ	? SHOWN_READ
				   : part->set == SET_WRITE	? SHOWN_WRITE
				   : part->set == SET_MAY_WRITE ? SHOWN_MAY_WRITE
								: SHOWN_INDEX];

	ranges_read(unit, sets, part->object, &ranges);
	for (size_t i = 0; i < list->count; i++)
		if (ranges_join(&list->items[i], &ranges)) {
			ranges_free(&ranges);
			return;
		}
	*list_add(list) = ranges;
}

static void add_part(struct unit *unit, const struct sets *sets, const struct part_of_set *part,
		     ranges_list *lists)
{
	if (part->kind == PART_ACCESS && !part->instead)
		add_access(unit, sets, part, lists);
	for (size_t i = 0; i < part->parts.count; i++)
		add_part(unit, sets, part->parts.items[i], lists);
}

static void free_lists(ranges_list *lists)
{
	for (int i = 0; i < SHOWN_COUNT; i++) {
		for (size_t j = 0; j < lists[i].count; j++)
			ranges_free(&lists[i].items[j]);
		list_free(&lists[i]);
	}
}

static void print_source(const struct unit *unit, const struct unknown *unknown, struct text *text)
{
	source_copy(&unit->source, (struct range){unknown->offset, unknown->end}, text);
}

/* -- for a reader ------------------------------------------------------------------------------ */

static void print_list(const char *title, const ranges_list *list, struct text *out)
{
	size_t line = out->length;

	if (!list->count)
		return;
	text_print(out, "    %-11s", title);
	for (size_t i = 0; i < list->count; i++) {
		if (i && out->length - line > 80) {
			text_print(out, ",\n               ");
			line = out->length - 15;
		} else if (i) {
			text_print(out, ", ");
		}
		ranges_print(out, &list->items[i]);
	}
	text_print(out, "\n");
}

static void print_unknown(struct unit *unit, const char *title, const struct unknown *unknown,
			  struct text *out)
{
	struct place place = source_place(&unit->source, unknown->offset);

	text_print(out, "    %s: %s:%u:%u: '", title, place.file, place.line, place.column);
	print_source(unit, unknown, out);
	text_print(out, "': %s\n", unknown->why);
}

static void explain_one(struct unit *unit, const struct sets *sets, struct text *out)
{
	static const char *const titles[SHOWN_COUNT] = {"reads", "writes", "may write",
							"decided by"};
	const struct directive *directive = &unit->directives.list.items[sets->directive];
	struct place place = source_place(&unit->source, directive->name);
	ranges_list lists[SHOWN_COUNT] = {0};

	text_print(out, "%s:%u: omp %s: %s", place.file, place.line,
		   directive_facts[directive->kind].name,
		   !sets->unknown.count	    ? "all is known"
		   : sets_know_writes(sets) ? "what it writes is known"
					    : "not known");
	if (sets->said.count && sets_know_writes(sets))
		text_print(out, ", by '#pragma cape' in line %u",
			   source_place(&unit->source, directive->said->line.from).line);
	text_print(out, "\n");
	add_part(unit, sets, sets->all, lists);
	for (int i = 0; i < SHOWN_COUNT; i++)
		print_list(titles[i], &lists[i], out);
	for (size_t i = 0; i < sets->said.count; i++)
		print_unknown(unit, "by pragma", &sets->said.items[i], out);
	for (size_t i = 0; i < sets->unknown.count; i++)
		print_unknown(unit, "not known", &sets->unknown.items[i], out);
	for (size_t i = 0; i < sets->late.count && sets_know_writes(sets); i++)
		print_unknown(unit, "not planned", &sets->late.items[i], out);
	free_lists(lists);
}

void explain(struct unit *unit, const sets_list *list, struct text *out)
{
	for (size_t i = 0; i < list->count; i++)
		explain_one(unit, &list->items[i], out);
	if (!list->count)
		text_print(out, "no loop that a team shares out\n");
}

/* -- as JSON ----------------------------------------------------------------------------------- */

static void json_string(struct text *out, const char *string)
{
	text_print(out, "\"");
	for (; *string; string++)
		if (*string == '"' || *string == '\\')
			text_print(out, "\\%c", *string);
		else if ((unsigned char)*string < ' ')
			text_print(out, "\\u%04x", *string);
		else
			text_add(out, string, 1);
	text_print(out, "\"");
}

static void json_place(struct unit *unit, unsigned int offset, struct text *out)
{
	struct place place = source_place(&unit->source, offset);

	text_print(out, "\"file\": ");
	json_string(out, place.file);
	text_print(out, ", \"line\": %u, \"column\": %u", place.line, place.column);
}

static void json_list(const char *name, const ranges_list *list, struct text *out)
{
	text_print(out, ",\n   \"%s\": [", name);
	for (size_t i = 0; i < list->count; i++) {
		struct text one = {0};

		ranges_print(&one, &list->items[i]);
		text_print(out, "%s", i ? ", " : "");
		json_string(out, one.data);
		text_free(&one);
	}
	text_print(out, "]");
}

static void json_unknown(struct unit *unit, const struct unknown *unknown, struct text *out)
{
	struct text source = {0};

	text_print(out, "{");
	json_place(unit, unknown->offset, out);
	text_print(out, ", \"source\": ");
	print_source(unit, unknown, &source);
	json_string(out, source.data ? source.data : "");
	text_free(&source);
	text_print(out, ", \"why\": ");
	json_string(out, unknown->why);
	text_print(out, "}");
}

static void json_unknowns(struct unit *unit, const char *name, const struct unknown *list,
			  size_t count, struct text *out)
{
	text_print(out, ",\n   \"%s\": [", name);
	for (size_t i = 0; i < count; i++) {
		text_print(out, "%s", i ? ",\n    " : "");
		json_unknown(unit, &list[i], out);
	}
	text_print(out, "]");
}

static void json_one(struct unit *unit, const struct sets *sets, struct text *out)
{
	static const char *const names[SHOWN_COUNT] = {"reads", "writes", "mayWrite", "decidedBy"};
	const struct directive *directive = &unit->directives.list.items[sets->directive];
	ranges_list lists[SHOWN_COUNT] = {0};

	text_print(out, "  {");
	json_place(unit, directive->name, out);
	text_print(out, ", \"construct\": ");
	json_string(out, directive_facts[directive->kind].name);
	text_print(out, ", \"known\": %s, \"writesKnown\": %s",
		   sets->unknown.count ? "false" : "true",
		   sets_know_writes(sets) ? "true" : "false");
	add_part(unit, sets, sets->all, lists);
	for (int i = 0; i < SHOWN_COUNT; i++)
		json_list(names[i], &lists[i], out);
	json_unknowns(unit, "byPragma", sets->said.items, sets->said.count, out);
	json_unknowns(unit, "unknown", sets->unknown.items, sets->unknown.count, out);
	json_unknowns(unit, "notPlanned", sets->late.items, sets->late.count, out);
	text_print(out, "}");
	free_lists(lists);
}

void explain_json(struct unit *unit, const sets_list *list, struct text *out)
{
	text_print(out, "[");
	for (size_t i = 0; i < list->count; i++) {
		text_print(out, "%s\n", i ? "," : "");
		json_one(unit, &list->items[i], out);
	}
	text_print(out, "\n]\n");
}
