/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rewrite.c - the calls of each construct (thesis, Fig. 4.6 to 4.14).
 *
 * A construct becomes one statement: what replaces the pragma opens a brace, what follows the
 * statement closes it.
 */
#include "rewrite.h"

#include <string.h>

#include "read/directive_facts.h"
#include "read/construct.h"
#include "depend_text.h"
#include "look.h"
#include "loop_text.h"
#include "model/needless.h"
#include "model/replicable.h"
#include "outline.h"
#include "read/reduction.h"
#include "rewrite_function.h"
#include "rewrite_sync.h"
#include "rewrite_serial.h"
#include "rewrite_task.h"
#include "plan_text.h"
#include "set_text.h"
#include "shadow.h"
#include "touch_text.h"
#include "check/sharing.h"
#include "check/synchronise.h"
#include "read/report.h"
#include "read/unit.h"

static bool has_clause(const struct directive *directive, enum clause_kind kind)
{
	return directive_clause(directive, kind) != NULL;
}

/* What the name of its enum cape_directive ends with. */
static const char *after_name(const struct directive *directive)
{
	bool loop = !directive_is(directive->kind, IS_PARALLEL); /* else target's, which waits */

	return loop && !directive_waits(directive) ? "_NOWAIT" : "";
}

static void write_argument(const struct unit *unit, struct text *text, const char *before,
			   struct range range, const char *after)
{
	text_print(text, "\t%s%.*s%s\n", before, (int)(range.to - range.from),
		   unit->source.text.data + range.from, after);
}

/* Every loop of a reproducible order must be shared out alike: then each schedule is static. */
static void write_schedule(const struct unit *unit, const struct directive *directive,
			   const struct clause *clause, struct text *text)
{
	const struct clause *order = directive_clause(directive, CLAUSE_ORDER);
	const char *call = order && order->fixed ? "cape_schedule_static" : clause->call;
	bool is_static = call && !strcmp(call, "cape_schedule_static");
	bool runtime = call && !strcmp(call, "cape_schedule_runtime");
	int length = (int)(clause->argument.to - clause->argument.from);

	if (!call || (is_static && !length))
		return;
	if (length)
		text_print(text, "\t%s(%.*s);\n", call, length,
			   unit->source.text.data + clause->argument.from);
	else
		text_print(text, "\t%s(%s);\n", call, runtime ? "" : "1");
}

static void write_clause(struct unit *unit, const struct directive *directive,
			 const struct clause *clause, struct text *text)
{
	size_t i;

	switch (clause->kind) {
	case CLAUSE_IF:
		write_argument(unit, text, "cape_if((", clause->argument, ") != 0);");
		break;
	case CLAUSE_NUM_THREADS:
		write_argument(unit, text, "cape_num_threads(", clause->argument, ");");
		break;
	case CLAUSE_PROC_BIND:
		write_argument(unit, text, "cape_proc_bind(", clause->argument, ");");
		break;
	case CLAUSE_SCHEDULE:
		if (!loop_counts_inside(unit, directive))
			write_schedule(unit, directive, clause, text);
		break;
	case CLAUSE_ORDERED:
		text_print(text, "\tcape_set_ordered();\n");
		break;
	case CLAUSE_DEFAULT:
		if (clause->none)
			text_print(text, "\tcape_set_default_none();\n");
		break;
	case CLAUSE_COPYIN:
		for (i = 0; i < clause->items.count; i++)
			text_print(text, "\tcape_set_copyin(&%.*s);\n",
				   (int)clause->items.items[i].length,
				   unit->source.text.data + clause->items.items[i].offset);
		break;
	default:
		break;
	}
}

/* Keeps the address of a variable whose name an inner scope hides. */
static void remember(struct unit *unit, const struct directive *directive,
		     struct variable *variable)
{
	const struct function *function = &unit->tree.functions.items[directive->function];
	struct source *source = &unit->source;
	unsigned int offset;
	const char *name = source->text.data + variable->offset;

	if (variable->remembered)
		return;
	variable->remembered = true;
	if (variable->in_loop_header) {
		report_error(unit, variable->offset,
			     "'%.*s' is hidden by another variable of its name in 'omp %s'; "
			     "rename one of them",
			     (int)variable->length, name, directive_facts[directive->kind].name);
		return;
	}
	offset = variable->parameter ? function->body.from + 1
				     : source_declaration_end(source, variable->offset);
	edit_before(source, offset, variable->parameter ? function->begin : variable->offset,
		    format_text(" __typeof__(%.*s) *cape_hidden_%.*s_%u = &%.*s;",
				(int)variable->length, name, (int)variable->length, name,
				variable->offset, (int)variable->length, name));
}

static void write_shared(struct unit *unit, const struct directive *directive, struct text *text)
{
	size_t i;

	for (i = 0; i < directive->shared.count; i++) {
		unsigned int index = directive->shared.items[i];
		struct variable *variable = &unit->tree.variables.items[index];
		const char *name = unit->source.text.data + variable->offset;

		if (!sharing_is_hidden(unit, directive, index)) {
			text_print(text, "\tcape_set_shared(&%.*s);\n", (int)variable->length,
				   name);
			continue;
		}
		remember(unit, directive, variable);
		text_print(text, "\tcape_set_shared(cape_hidden_%.*s_%u);\n", (int)variable->length,
			   name, variable->offset);
	}
}

/* A name that is hidden where the region begins is not one that the region uses. */
static void write_reaching(const struct unit *unit, const struct directive *directive,
			   struct text *text)
{
	size_t i;

	for (i = 0; i < directive->reaching.count; i++) {
		unsigned int index = directive->reaching.items[i];
		const struct variable *variable = &unit->tree.variables.items[index];

		if (!sharing_is_hidden(unit, directive, index))
			text_print(text, "\tcape_set_reaching(%s%.*s);\n",
				   variable->shape == SHAPE_SCALAR ? "" : "&",
				   (int)variable->length,
				   unit->source.text.data + variable->offset);
	}
}

static void write_writes(const struct unit *unit, const struct directive *directive,
			 struct text *text)
{
	size_t i;

	if (!directive->writes_known)
		return;
	text_print(text, "\tcape_set_writes(%zu", directive->writes.count);
	for (i = 0; i < directive->writes.count; i++) {
		const struct variable *variable =
			&unit->tree.variables.items[directive->writes.items[i]];

		text_print(text, ", %.*s", (int)variable->length,
			   unit->source.text.data + variable->offset);
	}
	text_print(text, ");\n");
}

static void write_replicable(const struct unit *unit, const struct directive *directive,
			     struct text *text)
{
	enum replicable way = unit->tells_plans ? replicable(unit, directive) : REPLICABLE_NOT;

	if (way != REPLICABLE_NOT)
		text_print(text, "\tcape_replicable(%d);\n", way == REPLICABLE_BY_TURNS);
}

/* From cape_begin() to ckpt_start(). */
static void write_begin(struct unit *unit, const struct directive *directive, const char *count,
			struct text *text)
{
	size_t i;

	if (serial_limits_threads(directive))
		serial_write_teams(unit, directive, text);
	depend_write(unit, directive, text, 1);
	text_print(text, "\tcape_begin(%s%s, 0, %s);\n", directive_facts[directive->kind].construct,
		   after_name(directive), count);
	for (i = 0; i < directive->clauses.count; i++)
		write_clause(unit, directive, &directive->clauses.items[i], text);
	if (directive->from_end)
		text_print(text, "\tcape_set_from_end();\n");
	if (!directive_is(directive->kind, IS_PARALLEL))
		return;
	write_shared(unit, directive, text);
	write_reaching(unit, directive, text);
	write_writes(unit, directive, text);
	plan_text_write_region(unit, directive, text);
	write_replicable(unit, directive, text);
	text_print(text, "\tckpt_start();\n");
}

static void write_end(const struct unit *unit, const struct directive *directive, struct text *text)
{
	if (directive->kind == DIRECTIVE_FOR || directive_is(directive->kind, IS_PARALLEL))
		plan_text_write_after(unit, directive, text);
	if (directive->untouched)
		text_print(text, "\tcape_untouched();\n");
	text_print(text, "\tcape_end(%s%s, %d);\n", directive_facts[directive->kind].construct,
		   after_name(directive), has_clause(directive, CLAUSE_REDUCTION));
	if (serial_limits_threads(directive))
		text_print(text, "\tcape_teams_end(cape_before);\n");
	text_print(text, "}\n");
}

/* Who runs the block of master, or of masked with a filter clause. */
static void write_master(const struct unit *unit, const struct directive *directive,
			 struct text *text, unsigned int depth)
{
	const struct clause *filter = directive_clause(directive, CLAUSE_FILTER);

	indent(text, depth);
	if (filter)
		text_print(text, "if (cape_masked(%.*s))\n",
			   (int)(filter->argument.to - filter->argument.from),
			   unit->source.text.data + filter->argument.from);
	else
		text_print(text, "if (cape_master())\n");
}

static void rewrite_parallel(struct unit *unit, const struct directive *directive)
{
	struct text before = {0}, after = {0};
	unsigned int depth = 1;

	text_print(&before, "{\n");
	write_begin(unit, directive, "0", &before);
	shadow_open(unit, directive, &before, &depth);
	if (directive->master)
		write_master(unit, directive, &before, depth);
	construct_open(unit, directive, before.data);

	shadow_close(unit, directive, &after, &depth, 1);
	write_end(unit, directive, &after);
	construct_close(unit, directive, after.data);
}

/* All threads run the block; a loop without iterations after it hands the reductions over. */
static void rewrite_scope(struct unit *unit, const struct directive *directive)
{
	struct text before = {0}, after = {0};
	unsigned int depth = 1;

	text_print(&before, "{\n");
	shadow_open(unit, directive, &before, &depth);
	construct_open(unit, directive, before.data);

	write_begin(unit, directive, "0", &after);
	shadow_close(unit, directive, &after, &depth, 1);
	write_end(unit, directive, &after);
	construct_close(unit, directive, after.data);
}

static void write_count_inside(const struct unit *unit, const struct directive *directive,
			       struct text *text)
{
	const struct clause *schedule = directive_clause(directive, CLAUSE_SCHEDULE);

	loop_write_trips(unit, directive, text);
	text_print(text, "\tcape_iterations(cape_trips);\n");
	if (schedule)
		write_schedule(unit, directive, schedule, text);
}

/* Before the block of a loop that may become a region. */
static void write_plan_outside(struct unit *unit, const struct directive *directive,
			       struct text *text, unsigned int depth)
{
	indent(text, depth);
	text_print(text, "{\n");
	loop_write_variables(unit, directive, text, depth + 1, true);
	plan_text_write(unit, directive, text, depth + 1);
	indent(text, depth);
	text_print(text, "}\n");
}

static void rewrite_loop(struct unit *unit, const struct directive *directive)
{
	struct text before = {0}, after = {0};
	bool inside = loop_counts_inside(unit, directive);
	unsigned int depth = 1, inner_depth;

	text_print(&before, "{\n");
	if (!inside)
		loop_write_trips(unit, directive, &before);
	write_begin(unit, directive, inside ? "0" : "cape_trips", &before);
	if (inside)
		write_count_inside(unit, directive, &before);
	if (directive->spread)
		write_plan_outside(unit, directive, &before, depth);
	shadow_open(unit, directive, &before, &depth);
	if (!directive->spread)
		plan_text_write(unit, directive, &before, depth);
	inner_depth = depth;
	loop_write_chunk(unit, directive, &before, &inner_depth);
	set_text_write(unit, directive, &before, inner_depth);
	construct_open(unit, directive, before.data);
	loop_replace_header(unit, directive, inner_depth);

	loop_write_next(unit, directive, &after, &inner_depth, depth);
	set_text_write_end(unit, directive, &after, depth);
	loop_write_last(unit, directive, &after, depth);
	shadow_close(unit, directive, &after, &depth, 1);
	write_end(unit, directive, &after);
	loop_close(unit, directive, after.data);
}

static bool is_section(const struct unit *unit, const struct statement *statement)
{
	return statement->kind == STATEMENT_DIRECTIVE &&
	       unit->directives.list.items[statement->directive].kind == DIRECTIVE_SECTION;
}

/* Wraps every section into its own condition; returns their number. */
static unsigned int rewrite_each_section(struct unit *unit, const struct statement *body)
{
	const struct statement *list = unit->statements.items;
	const struct token *tokens = unit->source.tokens.items;
	unsigned int count = 0;
	int at, last;

	for (at = body->child; at != NO_STATEMENT; at = list[last].next) {
		const struct token *first = &tokens[list[at].first];
		bool explicit = is_section(unit, &list[at]);
		unsigned int near = explicit ? first[1].offset : first->offset, end;

		for (last = at;
		     list[last].next != NO_STATEMENT && !is_section(unit, &list[list[last].next]);)
			last = list[last].next;
		end = token_end(&tokens[list[last].end - 1]);
		edit_replace(&unit->source, first->offset,
			     explicit ? token_end(first) : first->offset, near,
			     format_text("if (cape_section()) {\n"));
		/* a directive that is the first section itself ends before the section does */
		edit_after(&unit->source, first->offset - 1, near, (struct range){end, end},
			   format_text("}\n"));
		count++;
	}
	return count;
}

static void rewrite_sections(struct unit *unit, const struct directive *directive)
{
	const struct statement *list = unit->statements.items;
	struct text before = {0}, after = {0};
	unsigned int depth = 1;
	char *count = format_text(
		"%u", rewrite_each_section(unit, &list[list[directive->statement].child]));

	text_print(&before, "{\n");
	write_begin(unit, directive, count, &before);
	shadow_open(unit, directive, &before, &depth);
	construct_open(unit, directive, before.data);
	memory_free(count);

	shadow_close(unit, directive, &after, &depth, 1);
	write_end(unit, directive, &after);
	construct_close(unit, directive, after.data);
}

/*
 * copyprivate: a scalar goes through a copy, so that its own address is not taken.  WRITE_BACK
 * tells the text after cape_end() from that before it.
 */
static void write_copyprivate(const struct unit *unit, const struct directive *directive,
			      struct text *text, bool write_back)
{
	const struct clause *clause;
	size_t i, j;

	for (i = 0; i < directive->clauses.count; i++) {
		clause = &directive->clauses.items[i];
		for (j = 0; clause->kind == CLAUSE_COPYPRIVATE && j < clause->items.count; j++) {
			const struct item *item = &clause->items.items[j];
			const char *name = unit->source.text.data + item->offset;
			int length = (int)item->length;
			bool array =
				unit->tree.variables.items[item->variable].shape == SHAPE_ARRAY;

			if (!write_back && array)
				text_print(text, "\tcape_set_copyprivate(&%.*s);\n", length, name);
			else if (!write_back)
				text_print(text,
					   "\t__typeof__(%.*s) cape_copy_%.*s = %.*s;\n"
					   "\tcape_set_copyprivate(&cape_copy_%.*s);\n",
					   length, name, length, name, length, name, length, name);
			else if (!array)
				text_print(text, "\t%.*s = cape_copy_%.*s;\n", length, name, length,
					   name);
		}
	}
}

static void rewrite_single(struct unit *unit, const struct directive *directive)
{
	struct text before = {0}, after = {0};
	unsigned int depth = 1;

	text_print(&before, "{\n");
	write_begin(unit, directive, "0", &before);
	shadow_open(unit, directive, &before, &depth);
	indent(&before, depth);
	text_print(&before,
		   directive->any_node ? "if (cape_single_any())\n" : "if (cape_single())\n");
	construct_open(unit, directive, before.data);

	rewrite_task_labels(directive, &after, depth);
	shadow_close(unit, directive, &after, &depth, 1);
	write_copyprivate(unit, directive, &after, false);
	plan_text_write_after(unit, directive, &after);
	text_print(&after, "\tcape_end(%s%s, 0);\n", directive_facts[directive->kind].construct,
		   after_name(directive));
	write_copyprivate(unit, directive, &after, true);
	text_print(&after, "}\n");
	construct_close(unit, directive, after.data);
}

static void rewrite_master(struct unit *unit, const struct directive *directive)
{
	struct text before = {0};

	text_print(&before, "{\n");
	write_master(unit, directive, &before, 1);
	construct_open(unit, directive, before.data);
	construct_close(unit, directive, format_text("}\n"));
}

static void rewrite_barrier(struct unit *unit, const struct directive *directive)
{
	struct text text = {0};

	text_print(&text, "{\n");
	plan_text_write_after(unit, directive, &text);
	text_print(&text, "\tcape_barrier();\n}\n");
	construct_open(unit, directive, text.data);
}

static void rewrite_taskyield(struct unit *unit, const struct directive *directive)
{
	construct_open(unit, directive, format_text("cape_taskyield();\n"));
}

static void rewrite_taskwait(struct unit *unit, const struct directive *directive)
{
	struct text text = {0};

	text_print(&text, "{\n");
	if (!depend_write(unit, directive, &text, 1))
		text_print(&text, "\tcape_taskwait();\n");
	text_print(&text, "}\n");
	construct_open(unit, directive, text.data);
}

static void (*const rewrites[DIRECTIVE_KINDS_COUNT])(struct unit *unit,
						     const struct directive *directive) = {
	[DIRECTIVE_PARALLEL] = rewrite_parallel,
	[DIRECTIVE_FOR] = rewrite_loop,
	[DIRECTIVE_PARALLEL_FOR] = rewrite_loop,
	[DIRECTIVE_SECTIONS] = rewrite_sections,
	[DIRECTIVE_PARALLEL_SECTIONS] = rewrite_sections,
	[DIRECTIVE_SECTION] = NULL, /* done with its sections construct */
	[DIRECTIVE_SINGLE] = rewrite_single,
	[DIRECTIVE_SCOPE] = rewrite_scope,
	[DIRECTIVE_MASTER] = rewrite_master,
	[DIRECTIVE_CRITICAL] = rewrite_critical,
	[DIRECTIVE_ATOMIC] = rewrite_atomic,
	[DIRECTIVE_ORDERED] = rewrite_ordered,
	[DIRECTIVE_TASK] = rewrite_task,
	[DIRECTIVE_TASKLOOP] = rewrite_task,
	[DIRECTIVE_TASKGROUP] = rewrite_taskgroup,
	[DIRECTIVE_SIMD] = rewrite_serial,
	[DIRECTIVE_HOST] = rewrite_serial,
	[DIRECTIVE_BARRIER] = rewrite_barrier,
	[DIRECTIVE_FLUSH] = rewrite_flush,
	[DIRECTIVE_TASKWAIT] = rewrite_taskwait,
	[DIRECTIVE_TASKYIELD] = rewrite_taskyield,
	[DIRECTIVE_CANCEL] = construct_remove,
	[DIRECTIVE_THREADPRIVATE] = NULL, /* it stays: the compiler makes variables thread-local */
	[DIRECTIVE_DECLARE_REDUCTION] = NULL, /* done before all others */
	[DIRECTIVE_ERROR] = construct_remove,
	[DIRECTIVE_IGNORED] = construct_remove,
};

void rewrite_unit(struct unit *unit)
{
	int function = -1;
	size_t i;

	for (i = 0; i < unit->said.count; i++) /* to the compiler it says nothing */
		edit_replace(&unit->source, unit->said.items[i].line.from,
			     unit->said.items[i].line.to, unit->said.items[i].line.from,
			     format_text(" "));
	needless_find(unit);
	plan_text_find(unit);
	plan_text_write_pipelines(unit);
	touch_text_write(unit);
	for (i = 0; i < unit->directives.list.count; i++) { /* they stand before all functions */
		rewrite_own_reductions(unit, &unit->directives.list.items[i]);
		if (unit->directives.list.items[i].kind == DIRECTIVE_DECLARE_REDUCTION)
			rewrite_declare_reduction(unit, &unit->directives.list.items[i]);
	}
	for (i = 0; i < unit->directives.list.count; i++) {
		const struct directive *directive = &unit->directives.list.items[i];

		if ((directive_is(directive->kind, IS_PARALLEL) || directive->spread) &&
		    directive->function != function) {
			function = directive->function;
			rewrite_function(unit, &unit->tree.functions.items[function]);
		}
		if (rewrites[directive->kind])
			rewrites[directive->kind](unit, directive);
	}
	for (i = 0; i < unit->tree.functions.count; i++)
		rewrite_variables(unit, &unit->tree.functions.items[i]);
	outline_variables(unit);
	synchronise_rewrite(unit);
	look_rewrite(unit);
}
