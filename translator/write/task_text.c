/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * task_text.c - the pragma by which the compiler makes a function of a task's block.
 *
 * Who runs that function has values of its own of what was firstprivate, and of what the copies in
 * the block are made from; everything else is what it was where the task was met.
 */
#include "task_text.h"

#include "check/task.h"
#include "loop_text.h"
#include "read/directive_facts.h"
#include "read/unit.h"
#include "shadow.h"

bool task_any(const struct unit *unit)
{
	size_t i;

	for (i = 0; i < unit->directives.list.count; i++)
		if (directive_is(unit->directives.list.items[i].kind, IS_TASK))
			return true;
	return false;
}

static void add_flag(struct text *flags, const char *flag)
{
	text_print(flags, "%s%s", flags->length ? " | " : "", flag);
}

static void add_condition(const struct unit *unit, const struct directive *task,
			  enum clause_kind kind, const char *format, struct text *flags)
{
	const struct clause *clause = directive_clause(task, kind);

	if (!clause)
		return;
	add_flag(flags, "");
	text_print(flags, format, (int)(clause->argument.to - clause->argument.from),
		   unit->source.text.data + clause->argument.from);
}

/* Whether what it adds to is there only until the construct around goes on. */
static bool adds_in_place(const struct unit *unit, const struct directive *task)
{
	size_t i, j;

	for (i = 0; i < task->clauses.count; i++) {
		const struct clause *clause = &task->clauses.items[i];

		if (!is_in_reduction(task, clause))
			continue;
		for (j = 0; j < clause->items.count; j++) {
			const struct item *item = &clause->items.items[j];

			if (unit->tree.variables.items[item->variable].variable_size ||
			    (clause->kind == CLAUSE_IN_REDUCTION &&
			     task_adds_to(unit, task, item) == TASK_ADDS_TO_COPY))
				return true;
		}
	}
	return false;
}

/* Whether it begins with or ends in what the compiler does not give it: that must be there still.
 */
static bool has_variable_size(const struct unit *unit, const struct directive *task)
{
	size_t i, j;

	for (i = 0; i < task->clauses.count; i++) {
		const struct clause *clause = &task->clauses.items[i];

		if (clause->kind != CLAUSE_FIRSTPRIVATE && clause->kind != CLAUSE_LASTPRIVATE)
			continue;
		for (j = 0; j < clause->items.count; j++)
			if (unit->tree.variables.items[clause->items.items[j].variable]
				    .variable_size)
				return true;
	}
	return false;
}

/* The flags of cape_task_next(); empty: none. */
static struct text flags_of(const struct unit *unit, const struct directive *task)
{
	struct text flags = {0};

	add_condition(unit, task, CLAUSE_IF, "((%.*s) ? 0 : CAPE_TASK_UNDEFERRED)", &flags);
	add_condition(unit, task, CLAUSE_FINAL, "((%.*s) ? CAPE_TASK_FINAL : 0)", &flags);
	add_condition(unit, task, CLAUSE_PRIORITY, "cape_task_priority(%.*s)", &flags);
	if (directive_clause(task, CLAUSE_DEPEND))
		add_flag(&flags, "CAPE_TASK_DEPENDS");
	if (has_variable_size(unit, task))
		add_flag(&flags, "CAPE_TASK_UNDEFERRED");
	if (adds_in_place(unit, task))
		add_flag(&flags, "CAPE_TASK_IN_PLACE");
	return flags;
}

void task_write_flags(const struct unit *unit, const struct directive *task, struct text *text)
{
	struct text flags = flags_of(unit, task);

	if (flags.length)
		text_print(text, "\tint cape_flags = %s;\n", flags.data);
	text_free(&flags);
}

void task_write_pragma(const struct unit *unit, const struct directive *task, struct text *text,
		       unsigned int depth)
{
	struct text flags = flags_of(unit, task), given = {0};

	if (flags.length || task->label) {
		indent(text, depth);
		text_print(text, "cape_task_next(%u, %s);\n", task->label,
			   !flags.length	  ? "0"
			   : task->loop_count > 0 ? "cape_flags"
						  : flags.data);
	}
	if (task->loop_count > 0)
		loop_write_given(unit, task, &given);
	shadow_write_given(unit, task, &given);
	indent(text, depth);
	text_print(text, "#pragma omp task default(shared)");
	if (given.length)
		text_print(text, " firstprivate(%s)", given.data);
	text_print(text, "\n");
	text_free(&flags);
	text_free(&given);
}
