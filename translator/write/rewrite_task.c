/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rewrite_task.c - tasks, and the loop over the tasks of a taskloop.
 */
#include "rewrite_task.h"

#include "read/construct.h"
#include "depend_text.h"
#include "loop_text.h"
#include "reduction_scopes.h"
#include "shadow.h"
#include "task_text.h"
#include "read/unit.h"

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
	struct text before = {0}, after = {0};
	unsigned int scopes = 0, depth = 1, inner_depth;

	text_print(&before, "{\n");
	depend_write_task(unit, task, &before, 1);
	if (loop) {
		task_write_flags(unit, task, &before);
		scopes = write_parts(unit, task, &before);
	}
	shadow_open(unit, task, &before, &depth);
	inner_depth = depth;
	if (loop)
		loop_write_part(unit, task, &before, &inner_depth);
	construct_open(unit, task, before.data);
	if (loop) {
		loop_replace_header(unit, task, inner_depth);
		loop_write_next(unit, task, &after, &inner_depth, depth);
		loop_write_last(unit, task, &after, depth);
	}
	shadow_close(unit, task, &after, &depth, 1);
	if (loop)
		text_print(&after, "\t}\n");
	if (loop && !directive_clause(task, CLAUSE_NOGROUP))
		text_print(&after, "\tcape_taskgroup_end();\n");
	reduction_scopes_leave(scopes, &after, 1);
	text_print(&after, "}\n");
	if (loop)
		loop_close(unit, task, after.data);
	else
		construct_close(unit, task, after.data);
}

void rewrite_taskgroup(struct unit *unit, const struct directive *directive)
{
	struct text before = {0}, after = {0};
	unsigned int scopes;

	text_print(&before, "{\n\tcape_taskgroup_begin();\n");
	scopes = reduction_scopes_begin(unit, directive, &before, 1);
	construct_open(unit, directive, before.data);
	text_print(&after, "\tcape_taskgroup_end();\n");
	reduction_scopes_leave(scopes, &after, 1);
	text_print(&after, "}\n");
	construct_close(unit, directive, after.data);
}

void rewrite_task_labels(const struct directive *single, struct text *text, unsigned int depth)
{
	if (!single->labels)
		return;
	indent(text, depth);
	text_print(text, "cape_tasks_run();\n");
}
