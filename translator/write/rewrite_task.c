/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rewrite_task.c - tasks, and the loop over the tasks of a taskloop.
 *
 * A task runs where it is met, but for those that task.h numbers: another node jumps from the end
 * of the single construct into the task, takes its firstprivate values, and jumps back behind it.
 */
#include "rewrite_task.h"

#include <string.h>

#include "read/construct.h"
#include "depend_text.h"
#include "loop_text.h"
#include "reduction_scopes.h"
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

/* Where the sections of in_reduction lie is found out by the node that meets the task. */
static void write_sections(const struct unit *unit, const struct directive *task, bool take,
			   struct text *text)
{
	const char *call = take ? "\t\t\tcape_task_take_value" : "\tcape_task_value";
	size_t i, j;
	unsigned int k;

	for (i = 0; i < task->clauses.count; i++) {
		const struct clause *clause = &task->clauses.items[i];

		for (j = 0; is_in_reduction(task, clause) && j < clause->items.count; j++) {
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

/* From the variables' copies to the task's end, with the loop over the part of a taskloop. */
static void rewrite_block(struct unit *unit, const struct directive *task, struct text *before,
			  struct text *behind, unsigned int depth)
{
	unsigned int to_depth = depth, inner_depth;

	if (task->label)
		shadow_open_given(unit, task, before, &depth);
	else
		shadow_open(unit, task, before, &depth);
	inner_depth = depth;
	if (task->loop_count)
		loop_write_part(unit, task, before, &inner_depth);
	construct_open(unit, task, before->data);
	if (task->loop_count) {
		loop_replace_header(unit, task, inner_depth);
		loop_write_next(unit, task, behind, &inner_depth, depth);
		loop_write_last(unit, task, behind, depth);
	}
	shadow_close(unit, task, behind, &depth, to_depth);
}

static void write_given(const struct unit *unit, const struct directive *task, struct text *text)
{
	if (task->loop_count)
		loop_write_sent(unit, task, text, "\tcape_task_value");
	for_each_value(unit, task, write_value, text);
	write_sections(unit, task, false, text);
}

static void write_taken(const struct unit *unit, const struct directive *task, struct text *text)
{
	if (task->loop_count)
		loop_write_sent(unit, task, text, "\t\t\tcape_task_take_value");
	for_each_value(unit, task, write_take, text);
	write_sections(unit, task, true, text);
}

static void rewrite_labelled(struct unit *unit, const struct directive *task, const char *flags,
			     struct text *before, struct text *behind)
{
	const struct directive *single = single_of(unit, task);

	write_given(unit, task, before);
	text_print(before,
		   "\tif (!cape_task_post(%u, %s)) {\n"
		   "\t\tcape_task_begin(%s);\n"
		   "\t\tif (0) {\n"
		   "\t\tcape_task_%u:;\n",
		   task->label, flags, flags, task->offset);
	write_taken(unit, task, before);
	write_entered(unit, single, task, before);
	if (task->loop_count && !strcmp(flags, "cape_flags"))
		text_print(before, "\t\t\tcape_task_entered(cape_flags);\n");
	text_print(before, "\t\t}\n");
	rewrite_block(unit, task, before, behind, 2);
	text_print(behind,
		   "\t\tif (cape_task_is_taken()) {\n"
		   "\t\t\tcape_task_taken_end();\n"
		   "\t\t\tgoto cape_tasks_%u;\n"
		   "\t\t}\n"
		   "\t\tcape_task_end();\n"
		   "\t}\n",
		   single->offset);
}

/* From the bounds of a taskloop to its next task; returns how many variables it reduces. */
static unsigned int write_parts(const struct unit *unit, const struct directive *task,
				struct text *text)
{
	const struct clause *grain = directive_clause(task, CLAUSE_GRAIN);
	unsigned int scopes;

	loop_write_trips(unit, task, text);
	if (grain)
		text_print(text,
			   "\tstruct cape_taskloop_parts cape_parts =\n"
			   "\t\tcape_taskloop(cape_trips, %s, (unsigned long)(%.*s));\n",
			   grain->call, (int)(grain->argument.to - grain->argument.from),
			   unit->source.text.data + grain->argument.from);
	else
		text_print(text, "\tstruct cape_taskloop_parts cape_parts =\n"
				 "\t\tcape_taskloop(cape_trips, CAPE_TASKLOOP_TEAM, 0);\n");
	if (!directive_clause(task, CLAUSE_NOGROUP))
		text_print(text, "\tcape_taskgroup_begin();\n");
	scopes = reduction_scopes_begin(unit, task, text, 1);
	text_print(text, "\tunsigned long cape_left, cape_right = 0;\n"
			 "\twhile (cape_taskloop_next(&cape_parts, &cape_left, &cape_right)) {\n");
	return scopes;
}

void rewrite_task(struct unit *unit, const struct directive *task)
{
	bool loop = task->loop_count > 0;
	struct text before = {0}, behind = {0};
	char *own_flags = flags_text(unit, task);
	const char *flags = own_flags;
	unsigned int scopes = 0;

	text_print(&before, "{\n");
	depend_write(unit, task, &before, 1);
	if (strcmp(flags, "0") != 0 && (loop || task->label)) {
		text_print(&before, "\tint cape_flags = %s;\n", flags);
		flags = "cape_flags";
	}
	if (loop)
		scopes = write_parts(unit, task, &before);
	if (task->label) {
		rewrite_labelled(unit, task, flags, &before, &behind);
	} else {
		text_print(&before, "\tcape_task_begin(%s);\n", flags);
		rewrite_block(unit, task, &before, &behind, 1);
		text_print(&behind, "\tcape_task_end();\n");
	}
	if (loop)
		text_print(&behind, "\t}\n");
	if (loop && !directive_clause(task, CLAUSE_NOGROUP))
		text_print(&behind, "\tcape_taskgroup_end();\n");
	reduction_scopes_leave(scopes, &behind, 1);
	text_print(&behind, "}\n");
	if (loop)
		loop_close(unit, task, behind.data);
	else
		construct_close(unit, task, behind.data);
	memory_free(own_flags);
}

void rewrite_taskgroup(struct unit *unit, const struct directive *directive)
{
	struct text before = {0}, behind = {0};
	unsigned int scopes;

	text_print(&before, "{\n\tcape_taskgroup_begin();\n");
	scopes = reduction_scopes_begin(unit, directive, &before, 1);
	construct_open(unit, directive, before.data);
	text_print(&behind, "\tcape_taskgroup_end();\n");
	reduction_scopes_leave(scopes, &behind, 1);
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
