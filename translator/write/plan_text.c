/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plan_text.c - which loops are described before they run, and what comes after them.
 *
 * What every node computes of all nodes must be the same on all: the sets may depend on nothing
 * that threads have of their own.
 */
#include "plan_text.h"

#include "loop_text.h"
#include "model/gap.h"
#include "model/sets.h"
#include "read/directive_facts.h"
#include "read/unit.h"
#include "set_text.h"

static bool is_known(const struct directive *directive)
{
	return directive->sets && !directive->sets->unknown.count && directive->sets->alike &&
	       set_text_decides_once(directive->sets) &&
	       !directive_clause(directive, CLAUSE_LASTPRIVATE) &&
	       !directive_clause(directive, CLAUSE_LINEAR) &&
	       (!directive_clause(directive, CLAUSE_NOWAIT) ||
		directive_is(directive->kind, IS_PARALLEL));
}

bool plan_text_any(const struct unit *unit)
{
	for (size_t i = 0; i < unit->directives.list.count; i++)
		if (is_known(&unit->directives.list.items[i]))
			return true;
	return false;
}

void plan_text_write_region(const struct unit *unit, const struct directive *directive,
			    struct text *text)
{
	if (unit->tells_plans && gap_is_quiet_before(unit, directive, is_known))
		text_print(text, "\tcape_plan_region();\n");
}

void plan_text_write(struct unit *unit, const struct directive *directive, struct text *text,
		     unsigned int depth)
{
	unsigned int inner = depth + 2;

	if (!unit->tells_plans || !is_known(directive))
		return;
	indent(text, depth);
	text_print(text, "if (cape_plan_begin(%d)) {\n",
		   gap_is_quiet_after(unit, directive, is_known));
	set_text_write_need(unit, directive, text, depth + 1);
	indent(text, depth + 1);
	text_print(text, "unsigned long cape_left, cape_right, cape_stride = 1;\n");
	indent(text, depth + 1);
	text_print(text, "while (cape_plan_part(&cape_left, &cape_right, %s)) {\n",
		   directive->loop_count > 1 ? "0" : "&cape_stride");
	loop_write_part(unit, directive, text, &inner);
	set_text_write_boxes(unit, directive, text, inner, true);
	loop_write_next_row(directive, text, inner);
	while (inner-- > depth + 1) {
		indent(text, inner);
		text_print(text, "}\n");
	}
	indent(text, depth + 1);
	text_print(text, "cape_plan_ready();\n");
	indent(text, depth);
	text_print(text, "}\n");
}
