/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rewrite_task.c - tasks.
 *
 * A task runs where it is met, but for those that task.h numbers: another node jumps from the end
 * of the single construct into the task, takes its firstprivate values, and jumps back behind it.
 */
#include "rewrite_task.h"

#include <string.h>

#include "read/construct.h"
#include "shadow.h"
#include "check/sharing.h"
#include "read/unit.h"

/* What one firstprivate variable of a task needs at a place. */
typedef void (*value_writer)(struct text *text, const struct variable *variable, const char *name,
			     int length);

static void for_each_value(const struct unit *unit, const struct directive *task,
			   value_writer write, struct text *text)
{
	size_t i, j;

	for (i = 0; i < task->clauses.count; i++) {
		const struct clause *clause = &task->clauses.items[i];

		for (j = 0; clause->kind == CLAUSE_FIRSTPRIVATE && j < clause->items.count; j++) {
			const struct item *item = &clause->items.items[j];

			write(text, &unit->tree.variables.items[item->variable],
			      unit->source.text.data + item->offset, (int)item->length);
		}
	}
}

static void write_value(struct text *text, const struct variable *variable, const char *name,
			int length)
{
	if (variable->shape == SHAPE_ARRAY)
		text_print(text,
			   "\t__typeof__(%.*s) cape_value_%.*s;\n"
			   "\tcape_set_firstprivate(&cape_value_%.*s, &%.*s);\n",
			   length, name, length, name, length, name, length, name);
	else /* the comma drops a const */
		text_print(text, "\t__typeof__(((void)0, %.*s)) cape_value_%.*s = %.*s;\n", length,
			   name, length, name, length, name);
	text_print(text, "\tcape_task_value(&cape_value_%.*s, sizeof cape_value_%.*s);\n", length,
		   name, length, name);
}

static void write_take(struct text *text, const struct variable *variable, const char *name,
		       int length)
{
	(void)variable;
	text_print(text, "\t\t\tcape_task_take_value(&cape_value_%.*s, sizeof cape_value_%.*s);\n",
		   length, name, length, name);
}

static void write_copy(struct text *text, const struct variable *variable, const char *name,
		       int length)
{
	if (variable->shape == SHAPE_ARRAY)
		text_print(text,
			   "\t\t\t__typeof__(%.*s) %.*s;\n"
			   "\t\t\tcape_set_firstprivate(&%.*s, &cape_value_%.*s);\n",
			   length, name, length, name, length, name, length, name);
	else
		text_print(text, "\t\t\t__typeof__(%.*s) %.*s = cape_value_%.*s;\n", length, name,
			   length, name, length, name);
}

static void write_privates(const struct unit *unit, const struct directive *task, struct text *text)
{
	size_t i, j;

	for (i = 0; i < task->clauses.count; i++) {
		const struct clause *clause = &task->clauses.items[i];

		for (j = 0; clause->kind == CLAUSE_PRIVATE && j < clause->items.count; j++) {
			const struct item *item = &clause->items.items[j];
			const char *name = unit->source.text.data + item->offset;

			text_print(text, "\t\t\t__typeof__(%.*s) %.*s;\n", (int)item->length, name,
				   (int)item->length, name);
		}
	}
}

/* Where the sections of in_reduction lie is found out by the node that meets the task. */
static void write_sections(const struct unit *unit, const struct directive *task, bool take,
			   struct text *text)
{
	const char *call = take ? "\t\t\tcape_task_take_value" : "\tcape_task_value";
	size_t i, j;
	unsigned int k;

	for (i = 0; i < task->clauses.count; i++) {
		const struct clause *clause = &task->clauses.items[i];

		for (j = 0; clause->kind == CLAUSE_IN_REDUCTION && j < clause->items.count; j++) {
			const struct item *item = &clause->items.items[j];
			const char *name = unit->source.text.data + item->offset;
			int length = (int)item->length;

			if (!item->section_count)
				continue;
			if (!take)
				shadow_write_section(unit, task, clause, item, text, 1);
			text_print(text, "%s(&cape_original_%.*s, sizeof cape_original_%.*s);\n",
				   call, length, name, length, name);
			for (k = 0; k < item->section_count; k++)
				text_print(text,
					   "%s(&cape_from_%.*s_%u, sizeof cape_from_%.*s_%u);\n"
					   "%s(&cape_length_%.*s_%u, sizeof "
					   "cape_length_%.*s_%u);\n",
					   call, length, name, k, length, name, k, call, length,
					   name, k, length, name, k);
		}
	}
}

/* Variables of the scopes that a jump enters: the compiler must not think them uninitialised. */
static void write_entered(const struct unit *unit, const struct directive *single,
			  const struct directive *task, struct text *text)
{
	const struct function *function = &unit->tree.functions.items[task->function];
	unsigned int i;

	for (i = function->first_variable; i < function->end_variable; i++) {
		const struct variable *variable = &unit->tree.variables.items[i];

		if (variable->automatic && variable->offset > single->body.from &&
		    variable->offset < task->offset && variable->scope_end >= task->body.to &&
		    !sharing_is_hidden(unit, task, i))
			text_print(text, "\t\t\tcape_task_entered(%.*s);\n", (int)variable->length,
				   unit->source.text.data + variable->offset);
	}
}

/* The if and final clauses as flags of cape_task_begin(). */
static char *flags_text(const struct unit *unit, const struct directive *task)
{
	static const struct {
		enum clause_kind kind;
		const char *format;
	} flags[] = {
		{CLAUSE_IF, "((%.*s) ? 0 : CAPE_TASK_UNDEFERRED)"},
		{CLAUSE_FINAL, "((%.*s) ? CAPE_TASK_FINAL : 0)"},
	};
	struct text text = {0};
	size_t i;

	for (i = 0; i < 2; i++) {
		const struct clause *clause = directive_clause(task, flags[i].kind);

		if (!clause)
			continue;
		if (text.length)
			text_print(&text, " | ");
		text_print(&text, flags[i].format,
			   (int)(clause->argument.to - clause->argument.from),
			   unit->source.text.data + clause->argument.from);
	}
	if (directive_clause(task, CLAUSE_DEPEND))
		text_print(&text, "%sCAPE_TASK_DEPENDS", text.length ? " | " : "");
	if (!text.length)
		text_print(&text, "0");
	return text.data;
}

static const struct directive *single_of(const struct unit *unit, const struct directive *task)
{
	const struct directive *at = task;

	do
		at = &unit->directives.list.items[at->parent];
	while (at->kind != DIRECTIVE_SINGLE);
	return at;
}

static void rewrite_labelled(struct unit *unit, const struct directive *task, const char *flags)
{
	const struct directive *single = single_of(unit, task);
	bool reduces = directive_clause(task, CLAUSE_IN_REDUCTION) != NULL;
	struct text text = {0}, behind = {0};
	unsigned int depth = 3;

	text_print(&text, "{\n");
	if (strcmp(flags, "0") != 0) {
		text_print(&text, "\tint cape_flags = %s;\n", flags);
		flags = "cape_flags";
	}
	for_each_value(unit, task, write_value, &text);
	write_sections(unit, task, false, &text);
	text_print(&text,
		   "\tif (!cape_task_post(%u, %s)) {\n"
		   "\t\tcape_task_begin(%s);\n"
		   "\t\tif (0) {\n"
		   "\t\tcape_task_%u:;\n",
		   task->label, flags, flags, task->offset);
	for_each_value(unit, task, write_take, &text);
	write_sections(unit, task, true, &text);
	write_entered(unit, single, task, &text);
	text_print(&text, "\t\t}\n\t\t{\n");
	for_each_value(unit, task, write_copy, &text);
	write_privates(unit, task, &text);
	if (reduces)
		shadow_open_in_reduction(unit, task, &text, &depth);
	construct_open(unit, task, text.data);
	if (reduces)
		shadow_close_in_reduction(unit, task, &behind, &depth, 3);
	text_print(&behind,
		   "\t\t}\n"
		   "\t\tif (cape_task_is_taken()) {\n"
		   "\t\t\tcape_task_taken_end();\n"
		   "\t\t\tgoto cape_tasks_%u;\n"
		   "\t\t}\n"
		   "\t\tcape_task_end();\n"
		   "\t}\n"
		   "}\n",
		   single->offset);
	construct_close(unit, task, behind.data);
}

void rewrite_task(struct unit *unit, const struct directive *directive)
{
	char *flags = flags_text(unit, directive);
	struct text before = {0}, behind = {0};
	unsigned int depth = 1, scopes = 0;

	if (directive->label) {
		rewrite_labelled(unit, directive, flags);
		memory_free(flags);
		return;
	}
	text_print(&before, "{\n\tcape_task_begin(%s);\n", flags);
	memory_free(flags);
	if (directive->kind == DIRECTIVE_TASKLOOP)
		scopes = shadow_write_scopes(unit, directive, &before, 1);
	shadow_open(unit, directive, &before, &depth);
	construct_open(unit, directive, before.data);
	shadow_close(unit, directive, &behind, &depth, 1);
	shadow_leave_scopes(scopes, &behind, 1);
	text_print(&behind, "\tcape_task_end();\n}\n");
	construct_close(unit, directive, behind.data);
}

void rewrite_taskgroup(struct unit *unit, const struct directive *directive)
{
	struct text before = {0}, behind = {0};
	unsigned int scopes;

	text_print(&before, "{\n\tcape_taskgroup_begin();\n");
	scopes = shadow_write_scopes(unit, directive, &before, 1);
	construct_open(unit, directive, before.data);
	text_print(&behind, "\tcape_taskgroup_end();\n");
	shadow_leave_scopes(scopes, &behind, 1);
	text_print(&behind, "}\n");
	construct_close(unit, directive, behind.data);
}

void rewrite_task_labels(const struct unit *unit, const struct directive *single, struct text *text,
			 unsigned int depth)
{
	const struct directive_list *directives = &unit->directives;
	size_t i;

	if (!single->labels)
		return;
	indent(text, depth - 1);
	text_print(text, "cape_tasks_%u:\n", single->offset);
	indent(text, depth);
	text_print(text, "switch (cape_task_take()) {\n");
	for (i = 0; i < directives->list.count; i++) {
		const struct directive *task = &directives->list.items[i];

		if (!task->label || single_of(unit, task) != single)
			continue;
		indent(text, depth);
		text_print(text, "case %u:\n", task->label);
		indent(text, depth + 1);
		text_print(text, "goto cape_task_%u;\n", task->offset);
	}
	indent(text, depth);
	text_print(text, "}\n");
}
