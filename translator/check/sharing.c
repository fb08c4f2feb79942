/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sharing.c - what clauses say about variables, and whether they may say it. */
#include "sharing.h"

#include <string.h>

#include "read/reduction.h"
#include "task.h"
#include "bind.h"
#include "read/directive_facts.h"
#include "read/report.h"
#include "read/unit.h"

static struct variable *variable_of(const struct unit *unit, unsigned int index)
{
	return &unit->tree.variables.items[index];
}

static const char *text_at(const struct unit *unit, unsigned int offset)
{
	return unit->source.text.data + offset;
}

bool sharing_is_private(enum sharing sharing)
{
	return sharing > SHARING_SHARED;
}

bool sharing_is_declared_in(const struct variable *variable, const struct directive *directive)
{
	return variable->offset > directive->body.from && variable->offset < directive->body.to;
}

bool sharing_is_shared_at(const struct unit *unit, int index, unsigned int variable)
{
	const struct directive *list = unit->directives.list.items;
	const struct variable *described = &unit->tree.variables.items[variable];

	if (described->threadprivate || described->is_thread_local)
		return false;
	for (; index >= 0; index = list[index].parent) {
		if (sharing_is_private(sharing_of(&list[index], variable)) ||
		    (described->automatic && sharing_is_declared_in(described, &list[index])))
			return false;
		if (directive_is(list[index].kind, IS_PARALLEL))
			return true;
	}
	return !described->automatic;
}

bool sharing_is_loop_variable(const struct directive *directive, unsigned int variable)
{
	unsigned int i;

	for (i = 0; i < directive->loop_count; i++)
		if (directive->loops[i].variable == variable)
			return true;
	return false;
}

static bool has_item(const struct clause *clause, unsigned int variable)
{
	size_t i;

	for (i = 0; i < clause->items.count; i++)
		if (clause->items.items[i].variable == variable)
			return true;
	return false;
}

enum sharing sharing_of(const struct directive *directive, unsigned int variable)
{
	enum sharing found = SHARING_NONE;
	size_t i;

	for (i = 0; i < directive->clauses.count; i++) {
		const struct clause *clause = &directive->clauses.items[i];

		if (!is_sharing(clause->kind) || !has_item(clause, variable))
			continue;
		if (clause->kind == CLAUSE_PRIVATE)
			return SHARING_PRIVATE;
		if (clause->kind == CLAUSE_SHARED)
			return SHARING_SHARED;
		if (is_reduction(clause->kind))
			return SHARING_REDUCTION;
		if (clause->kind == CLAUSE_FIRSTPRIVATE)
			found = found == SHARING_LASTPRIVATE ? SHARING_FIRST_LASTPRIVATE
							     : SHARING_FIRSTPRIVATE;
		else if (clause->linear && !sharing_is_loop_variable(directive, variable))
			return SHARING_FIRST_LASTPRIVATE;
		else if (clause->kind == CLAUSE_LASTPRIVATE)
			found = found == SHARING_FIRSTPRIVATE ? SHARING_FIRST_LASTPRIVATE
							      : SHARING_LASTPRIVATE;
	}
	if (found == SHARING_NONE && sharing_is_loop_variable(directive, variable))
		return SHARING_PRIVATE;
	return found;
}

bool sharing_is_hidden(const struct unit *unit, const struct directive *directive,
		       unsigned int variable)
{
	const struct variable *described = variable_of(unit, variable);

	return tree_lookup(unit, described->offset, described->length, directive->offset,
			   directive->function) != variable;
}

bool sharing_is_linear(const struct directive *directive, const struct clause *clause,
		       const struct item *item)
{
	return clause->linear && !sharing_is_loop_variable(directive, item->variable);
}

/* linear is lastprivate, with a first value; in a loop that is not shared out it says nothing. */
static void resolve_linear(struct unit *unit, const struct directive *directive,
			   struct clause *clause)
{
	size_t i;

	if (clause->kind != CLAUSE_LINEAR ||
	    (!directive_is(directive->kind, IS_LOOP) && directive->kind != DIRECTIVE_TASKLOOP))
		return;
	clause->kind = CLAUSE_LASTPRIVATE;
	clause->linear = true;
	for (i = 0; i < clause->items.count; i++) {
		const struct item *item = &clause->items.items[i];
		const struct variable *variable;

		if (item->variable == NO_VARIABLE)
			continue;
		variable = variable_of(unit, item->variable);
		if (variable->shape != SHAPE_SCALAR || !(variable->integer || variable->pointer))
			report_error(unit, item->offset,
				     "'%.*s' has neither integer nor pointer type, so it cannot be "
				     "'linear'",
				     (int)item->length, text_at(unit, item->offset));
	}
}

static void resolve_reduction(const struct unit *unit, const struct directive *directive,
			      const struct clause *clause, struct item *item)
{
	const struct variable *variable = variable_of(unit, item->variable);

	item->declared = !clause->operator_name ||
			 (!variable->arithmetic && reduction_is_declared(unit, directive, clause));
	item->own = !item->declared && variable->own_type;
}

static void resolve_items(struct unit *unit, const struct directive *directive,
			  struct clause *clause)
{
	size_t i;

	for (i = 0; i < clause->items.count; i++) {
		struct item *item = &clause->items.items[i];

		item->variable = tree_lookup(unit, item->offset, item->length, directive->offset,
					     directive->function);
		if (item->variable == NO_VARIABLE)
			report_error(unit, item->offset,
				     "'%.*s' is not the name of a variable that is visible here",
				     (int)item->length, text_at(unit, item->offset));
		else if (is_reduction(clause->kind))
			resolve_reduction(unit, directive, clause, item);
	}
	resolve_linear(unit, directive, clause);
}

/* With simd the loop variables are linear, several of them lastprivate: both hand the last value
 * on. */
static void imply_lastprivate(struct directive *directive)
{
	struct clause *clause = NULL;
	unsigned int i;
	size_t j;

	if (!directive->simd && !directive->loop &&
	    (directive->kind != DIRECTIVE_SIMD || directive->device)) /* distribute alone */
		return;
	for (i = 0; i < directive->loop_count; i++) {
		const struct loop *loop = &directive->loops[i];
		bool listed = loop->declaration.to != 0;
		struct item *item;

		for (j = 0; j < directive->clauses.count; j++)
			listed |= has_item(&directive->clauses.items[j], loop->variable);
		if (listed)
			continue;
		if (!clause) {
			clause = list_add(&directive->clauses);
			*clause = (struct clause){.kind = CLAUSE_LASTPRIVATE,
						  .name = "lastprivate",
						  .offset = directive->name,
						  .implied = true};
		}
		item = list_add(&clause->items);
		item->offset = loop->name.from;
		item->length = loop->name.to - loop->name.from;
		item->variable = loop->variable;
	}
}

static void mark_threadprivate(struct unit *unit, const struct directive *directive)
{
	const struct clause *list = directive_clause(directive, CLAUSE_LIST);
	size_t i, first;

	for (i = 0; list && i < list->items.count; i++) {
		const struct item *item = &list->items.items[i];
		struct variable *variable = variable_of(unit, item->variable);

		if (variable->automatic)
			report_error(
				unit, item->offset,
				"an automatic variable cannot be threadprivate: it needs static "
				"storage");
		else if (directive->function >= 0 && variable->function != directive->function)
			report_error(
				unit, item->offset,
				"'omp threadprivate' must be in the scope that declares '%.*s'",
				(int)item->length, text_at(unit, item->offset));
		variable->threadprivate = true;
		for (first = tree_reference_at(&unit->tree, variable->offset);
		     first < unit->tree.references.count &&
		     unit->tree.references.items[first].offset < directive->offset;
		     first++)
			if (unit->tree.references.items[first].variable == item->variable) {
				report_error(unit, item->offset,
					     "'%.*s' is used before it is made threadprivate",
					     (int)item->length, text_at(unit, item->offset));
				break;
			}
	}
}

/* Two clauses may only name one variable when they are firstprivate and lastprivate. */
static void check_repeated(struct unit *unit, const struct directive *directive, size_t at,
			   const struct item *item)
{
	const struct clause *clause = &directive->clauses.items[at];
	size_t i, j;

	for (i = 0; i <= at; i++) {
		const struct clause *other = &directive->clauses.items[i];

		if ((clause->kind == CLAUSE_FIRSTPRIVATE && other->kind == CLAUSE_LASTPRIVATE) ||
		    (clause->kind == CLAUSE_LASTPRIVATE && other->kind == CLAUSE_FIRSTPRIVATE))
			continue;
		for (j = 0; j < other->items.count && &other->items.items[j] != item; j++)
			if (other->items.items[j].variable == item->variable) {
				report_error(unit, item->offset,
					     "'%.*s' is in more than one clause", (int)item->length,
					     text_at(unit, item->offset));
				return;
			}
	}
}

static void check_operator(struct unit *unit, const struct clause *clause, const struct item *item,
			   const struct variable *variable)
{
	const char *operator_name = clause->operator_name;
	bool bits = operator_name == strstr(operator_name, "CAPE_BIT");
	bool order = !strcmp(operator_name, "CAPE_MIN") || !strcmp(operator_name, "CAPE_MAX");

	if (!variable->arithmetic || (variable->pointer && !item->section_count) ||
	    item->section_count > variable->levels)
		report_error(
			unit, item->offset,
			variable->pointer && variable->arithmetic && !item->section_count
				? "a reduction of memory that a pointer points to needs an array "
				  "section: "
				  "'%.*s[first : length]'"
				: "'%.*s' has no arithmetic type, so a reduction is not possible",
			(int)item->length, text_at(unit, item->offset));
	else if ((bits && variable->floating) || (order && !variable->real))
		report_error(unit, item->offset,
			     "this reduction operator does not exist for the type of '%.*s'",
			     (int)item->length, text_at(unit, item->offset));
}

static void check_reduction(struct unit *unit, const struct directive *directive,
			    const struct clause *clause, const struct item *item,
			    const struct variable *variable)
{
	size_t i;

	if (clause->operator_name && !item->declared)
		check_operator(unit, clause, item, variable);
	else if (!reduction_is_declared(unit, directive, clause))
		report_error(unit, clause->identifier.from,
			     "'%.*s' is not an operator of a reduction (+ - * & | ^ && || min "
			     "max), nor is there a 'declare reduction' for it here",
			     (int)(clause->identifier.to - clause->identifier.from),
			     text_at(unit, clause->identifier.from));
	for (i = 0; i < item->section_count; i++)
		if (item->sections[i].is_range && !item->sections[i].length.to && i == 0 &&
		    variable->pointer)
			report_error(unit, item->offset,
				     "an array section of a pointer must give its length");
}

/* A work-sharing construct hands results to, or takes values from, a variable that is shared. */
static void check_shared_outside(struct unit *unit, int index, const struct clause *clause,
				 const struct item *item)
{
	const struct directive *list = unit->directives.list.items;
	const struct variable *variable = variable_of(unit, item->variable);
	int outer = enclosing_parallel(unit, index);
	int at;

	if (directive_is(list[index].kind, IS_PARALLEL) ||
	    directive_is(list[index].kind, IS_TASK) || directive_is(list[index].kind, IS_SERIAL) ||
	    outer < 0 || item->section_count || clause->implied)
		return;
	for (at = list[index].parent; at >= 0; at = list[at].parent) {
		if (sharing_is_private(sharing_of(&list[at], item->variable)))
			break;
		if (at == outer)
			break;
	}
	if (!sharing_is_private(sharing_of(&list[at], item->variable)) &&
	    !(variable->automatic && variable->offset > list[outer].offset))
		return;
	report_error(
		unit, item->offset,
		"'%.*s' is private in the enclosing parallel region, so it cannot be '%s' here",
		(int)item->length, text_at(unit, item->offset), clause->name);
}

static void check_copyprivate(struct unit *unit, int index, const struct item *item)
{
	const struct directive *list = unit->directives.list.items;
	const struct variable *variable = variable_of(unit, item->variable);
	int outer = enclosing_parallel(unit, index);

	if (variable->threadprivate ||
	    (outer >= 0 && (sharing_is_private(sharing_of(&list[outer], item->variable)) ||
			    (variable->automatic && variable->offset > list[outer].offset))) ||
	    (outer < 0 && variable->automatic))
		return;
	report_error(unit, item->offset,
		     "'%.*s' is shared: copyprivate hands over private or threadprivate variables",
		     (int)item->length, text_at(unit, item->offset));
}

static void check_loop_variable(struct unit *unit, const struct directive *directive,
				const struct clause *clause, const struct item *item)
{
	if (!sharing_is_loop_variable(directive, item->variable) ||
	    clause->kind == CLAUSE_PRIVATE || clause->kind == CLAUSE_LASTPRIVATE ||
	    clause->kind == CLAUSE_LINEAR)
		return;
	report_error(unit, item->offset, "the loop variable '%.*s' cannot be '%s'",
		     (int)item->length, text_at(unit, item->offset), clause->name);
}

static void check_item(struct unit *unit, int index, const struct clause *clause,
		       const struct item *item)
{
	const struct directive *directive = &unit->directives.list.items[index];
	const struct variable *variable = variable_of(unit, item->variable);
	const char *name = clause->name;

	if (clause->kind == CLAUSE_COPYIN && !variable->threadprivate)
		report_error(unit, item->offset,
			     "'%.*s' is not threadprivate, so it cannot be copied in",
			     (int)item->length, text_at(unit, item->offset));
	if (variable->threadprivate && clause->kind != CLAUSE_COPYIN &&
	    clause->kind != CLAUSE_COPYPRIVATE && clause->kind != CLAUSE_LIST)
		report_error(unit, item->offset, "'%.*s' is threadprivate and cannot be '%s'",
			     (int)item->length, text_at(unit, item->offset), name);
	if (variable->is_const && !item->section_count &&
	    (clause->kind == CLAUSE_PRIVATE || clause->kind == CLAUSE_LASTPRIVATE ||
	     is_reduction(clause->kind)))
		report_error(unit, item->offset, "'%.*s' is const and cannot be '%s'",
			     (int)item->length, text_at(unit, item->offset), name);
	if (is_reduction(clause->kind))
		check_reduction(unit, directive, clause, item, variable);
	if (clause->kind == CLAUSE_REDUCTION || clause->kind == CLAUSE_LASTPRIVATE ||
	    clause->kind == CLAUSE_FIRSTPRIVATE)
		check_shared_outside(unit, index, clause, item);
	if (clause->kind == CLAUSE_COPYPRIVATE)
		check_copyprivate(unit, index, item);
	check_loop_variable(unit, directive, clause, item);
}

static void check_directive(struct unit *unit, int index)
{
	const struct directive *directive = &unit->directives.list.items[index];
	size_t i, j;

	for (i = 0; i < directive->clauses.count; i++) {
		const struct clause *clause = &directive->clauses.items[i];

		for (j = 0; j < clause->items.count; j++) {
			check_repeated(unit, directive, i, &clause->items.items[j]);
			check_item(unit, index, clause, &clause->items.items[j]);
		}
	}
	for (i = 0; i < directive->loop_count; i++)
		if (variable_of(unit, directive->loops[i].variable)->threadprivate)
			report_error(unit, directive->loops[i].name.from,
				     "the loop variable cannot be threadprivate");
}

void sharing_resolve(struct unit *unit)
{
	struct directive *list = unit->directives.list.items;
	size_t i, j;

	for (i = 0; i < unit->directives.list.count; i++)
		for (j = 0; j < list[i].clauses.count; j++)
			resolve_items(unit, &list[i], &list[i].clauses.items[j]);
	if (unit->errors)
		return;
	for (i = 0; i < unit->directives.list.count; i++)
		imply_lastprivate(&list[i]);
	for (i = 0; i < unit->directives.list.count; i++)
		if (list[i].kind == DIRECTIVE_THREADPRIVATE)
			mark_threadprivate(unit, &list[i]);
	for (i = 0; i < unit->directives.list.count; i++)
		check_directive(unit, (int)i);
	for (i = 0; i < unit->directives.list.count && !unit->errors; i++)
		if (directive_is(list[i].kind, IS_TASK))
			task_share(unit, (int)i);
}
