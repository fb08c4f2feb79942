/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plan_text.c - which loops are described before they run, and what comes after them.
 *
 * What every node computes of all nodes must be the same on all: the sets may depend on nothing
 * that threads have of their own.
 */
#include "plan_text.h"

#include "loop_text.h"
#include "model/cuts.h"
#include "model/decides.h"
#include "model/gap.h"
#include "model/join.h"
#include "model/pipeline.h"
#include "model/sets.h"
#include "model/spread.h"
#include "model/value.h"
#include "read/directive_facts.h"
#include "read/unit.h"
#include "set_text.h"

static bool is_describable(const struct directive *directive)
{
	return directive->sets && directive->sets->writes_described &&
	       !directive->sets->late.count && !directive_clause(directive, CLAUSE_LINEAR);
}

/* What decides on what is read by lists must be said, too. */
static void find_lists(struct unit *unit, const struct directive *directive)
{
	value_list values = {0};

	if (!directive->sets->lists)
		return;
	directive->sets->lists = decides_find(unit, directive, &values);
	list_free(&values);
}

void plan_text_find(struct unit *unit)
{
	struct directive *directives = unit->directives.list.items;

	if (!unit->tells_plans)
		return;
	for (size_t i = 0; i < unit->directives.list.count; i++) {
		directives[i].describable = is_describable(&directives[i]);
		if (!directives[i].describable)
			continue;
		join_elements(unit, directives[i].sets);
		cuts_find(unit, directives[i].sets);
		find_lists(unit, &directives[i]);
	}
	for (size_t i = 0; i < unit->directives.list.count; i++)
		directives[i].planned =
			directives[i].describable &&
			(!directive_clause(&directives[i], CLAUSE_NOWAIT) ||
			 directive_is(directives[i].kind, IS_PARALLEL) ||
			 (!directives[i].in_pipeline && gap_may_wait(unit, &directives[i])));
	for (size_t i = 0; i < unit->directives.list.count; i++)
		directives[i].spread =
			unit->spreads && directives[i].planned && spread_find(unit, &directives[i]);
}

/* cape-cc --check-sets: what the thread itself accesses. */
static void write_checked(struct unit *unit, const struct pipeline *pipeline)
{
	struct text text = {0};

	if (!pipeline->end)
		return;
	text_print(&text, "if (cape_sets_begin_pipeline()) {\n"
			  "\tconst int cape_thread = cape_pipeline_own();\n");
	set_text_write_pipeline(unit, pipeline, &text, 1, TELL_CHECKED);
	text_print(&text, "\tcape_sets_ready();\n}\n");
	edit_before_statement(&unit->source, pipeline->range.from, text.data);
	edit_after(&unit->source, pipeline->range.from, pipeline->offset,
		   (struct range){pipeline->end, pipeline->end},
		   format_text("cape_sets_end_pipeline();\n"));
}

void plan_text_write_pipelines(struct unit *unit)
{
	for (size_t i = 0; i < unit->pipelines.count; i++) {
		const struct pipeline *pipeline = unit->pipelines.items[i];
		struct text text = {0};

		if (unit->tells_sets) {
			write_checked(unit, pipeline);
			continue;
		}

		text_print(&text, "if (cape_pipeline_begin()) {\n"
				  "\tint cape_thread;\n"
				  "\twhile ((cape_thread = cape_pipeline_thread()) >= 0) {\n");
		set_text_write_pipeline(unit, pipeline, &text, 2, TELL_PLANNED);
		text_print(&text, "\t}\n\tcape_pipeline_ready(%u, %d);\n}\n", pipeline->loop,
			   pipeline->sets.critical);
		edit_before_statement(&unit->source, pipeline->range.from, text.data);
		if (pipeline->loop)
			edit_before_statement(&unit->source, pipeline->round,
					      format_text("cape_pipeline_round();\n"));
	}
}

bool plan_text_any(const struct unit *unit)
{
	for (size_t i = 0; i < unit->directives.list.count; i++)
		if (unit->directives.list.items[i].planned)
			return true;
	return unit->pipelines.count > 0;
}

static void write_objects(const char *call, const read_list *objects, struct text *text)
{
	for (size_t i = 0; i < objects->count; i++) {
		text_print(text, "\t%s((unsigned long)&", call);
		value_print(text, objects->items[i], NULL, NULL);
		text_print(text, ", sizeof(");
		value_print(text, objects->items[i], NULL, NULL);
		text_print(text, "));\n");
	}
}

void plan_text_write_region(const struct unit *unit, const struct directive *directive,
			    struct text *text)
{
	read_list reads = {0};

	if (plan_text_any(unit) && gap_is_quiet_before(unit, directive, &reads)) {
		text_print(text, "\tcape_plan_region();\n");
		write_objects("cape_plan_pass", &reads, text);
	}
	list_free(&reads);
}

/* They are read at the sync point. */
static void write_reductions(const struct unit *unit, const struct directive *directive,
			     struct text *text)
{
	for (size_t i = 0; i < directive->clauses.count; i++) {
		const struct clause *clause = &directive->clauses.items[i];

		for (size_t j = 0; clause->kind == CLAUSE_REDUCTION && j < clause->items.count;
		     j++) {
			const struct item *item = &clause->items.items[j];
			const char *name = unit->source.text.data + item->offset;

			text_print(text,
				   "\tcape_plan_reduced((unsigned long)&%.*s, sizeof(%.*s));\n",
				   (int)item->length, name, (int)item->length, name);
		}
	}
}

void plan_text_write_after(const struct unit *unit, const struct directive *directive,
			   struct text *text)
{
	struct gap gap = {0};

	if ((directive->planned || (plan_text_any(unit) && directive_waits(directive))) &&
	    gap_is_quiet_after(unit, directive, &gap)) {
		text_print(text, "\tcape_plan_quiet();\n");
		write_objects("cape_plan_pass", &gap.reads, text);
		write_objects("cape_plan_change", &gap.changes, text);
		if (gap.prints)
			text_print(text, "\tcape_plan_print();\n");
	}
	gap_clear(&gap);
	if (plan_text_any(unit))
		write_reductions(unit, directive, text);
	if (directive->spread)
		text_print(text, "\tcape_plan_end_spread();\n");
}

static void write_parts(struct unit *unit, const struct directive *directive, struct text *text,
			unsigned int depth, enum telling telling)
{
	unsigned int inner = depth + 1;

	indent(text, depth);
	text_print(text, "while (cape_plan_part(&cape_left, &cape_right, %s)) {\n",
		   directive->loop_count > 1 ? "0" : "&cape_stride");
	loop_write_part(unit, directive, text, &inner);
	set_text_write_boxes(unit, directive, text, inner, telling);
	loop_write_next_row(directive, text, inner);
	while (inner-- > depth) {
		indent(text, inner);
		text_print(text, "}\n");
	}
}

/* The sets of all parts that nodes have, and what this one reads besides. */
static void write_sets(struct unit *unit, const struct directive *directive, struct text *text,
		       unsigned int depth)
{
	indent(text, depth);
	text_print(text, "unsigned long cape_left, cape_right, cape_stride = 1;\n");
	write_parts(unit, directive, text, depth, TELL_PLANNED);
	if (directive->sets->lists) {
		indent(text, depth);
		text_print(text, "if (cape_plan_lists(");
		set_text_write_somewhere_size(directive, text);
		text_print(text, ")) {\n");
		write_parts(unit, directive, text, depth + 1, TELL_LISTED);
		indent(text, depth + 1);
		text_print(text, "cape_plan_listed();\n");
		indent(text, depth);
		text_print(text, "}\n");
	}
	set_text_write_somewhere(directive, text, depth);
}

/* Opens what is done if the sets are not those of a time before; false: that cannot be asked. */
static bool write_question(struct unit *unit, const struct directive *directive, struct text *text,
			   unsigned int depth)
{
	value_list values = {0};
	struct text list = {0};
	bool known = decides_find(unit, directive, &values);

	if (known) {
		for (size_t i = 0; i < values.count; i++)
			text_print(&list, ", %s", values.items[i]);
		indent(text, depth);
		text_print(text, "if (!cape_plan_again(%zu",
			   values.count + loop_write_bounds(unit, directive, &list));
		text_print(text, "%s)) {\n", list.data ? list.data : "");
	}
	text_free(&list);
	list_free(&values);
	return known;
}

void plan_text_write(struct unit *unit, const struct directive *directive, struct text *text,
		     unsigned int depth)
{
	bool asked;

	if (!directive->planned)
		return;
	indent(text, depth);
	text_print(text, "if (cape_plan_begin%s()) {\n", directive->spread ? "_spread" : "");
	set_text_write_need(unit, directive, text, depth + 1);
	asked = write_question(unit, directive, text, depth + 1);
	write_sets(unit, directive, text, depth + 1 + asked);
	if (asked) {
		indent(text, depth + 1);
		text_print(text, "}\n");
	}
	indent(text, depth + 1);
	text_print(text, "cape_plan_ready();\n");
	indent(text, depth);
	text_print(text, "}\n");
}
