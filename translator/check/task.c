/* SPDX-License-Identifier: GPL-2.0-or-later */
/* task.c - data sharing of tasks, and the tasks that any node may run. */
#include "task.h"

#include "read/part.h"
#include "sharing.h"
#include "read/directive_facts.h"
#include "read/report.h"
#include "read/unit.h"

static struct directive *directive_at(const struct unit *unit, int index)
{
	return &unit->directives.list.items[index];
}

/* The clause of DIRECTIVE that reduces VARIABLE, and there its ITEM; or NULL. */
static const struct clause *clause_that_reduces(const struct directive *directive,
						unsigned int variable, const struct item **item)
{
	size_t i, j;

	for (i = 0; i < directive->clauses.count; i++) {
		const struct clause *clause = &directive->clauses.items[i];

		for (j = 0; is_reduction(clause->kind) && j < clause->items.count; j++) {
			*item = &clause->items.items[j];
			if ((*item)->variable == variable)
				return clause;
		}
	}
	return NULL;
}

enum task_adds_to task_adds_to(const struct unit *unit, const struct directive *task,
			       const struct item *item)
{
	const struct variable *variable = &unit->tree.variables.items[item->variable];
	int at;

	for (at = task->parent; at >= 0; at = directive_at(unit, at)->parent) {
		const struct directive *outer = directive_at(unit, at);
		const struct item *outer_item;
		const struct clause *clause =
			clause_that_reduces(outer, item->variable, &outer_item);

		if (clause && !directive_is(outer->kind, IS_SERIAL)) {
			if (clause->kind == CLAUSE_TASK_REDUCTION)
				return TASK_ADDS_TO_NAMED;
			return (clause->of_tasks || is_in_reduction(outer, clause)) &&
					       item->section_count == outer_item->section_count
				       ? TASK_ADDS_TO_ORIGINAL
				       : TASK_ADDS_TO_COPY;
		}
		if (sharing_is_private(sharing_of(outer, item->variable)) ||
		    sharing_is_declared_in(variable, outer))
			break;
	}
	return TASK_ADDS_TO_NAMED;
}

bool task_reduces_own(const struct unit *unit, const struct directive *task,
		      const struct item *item)
{
	const struct variable *variable = &unit->tree.variables.items[item->variable];

	return !variable->threadprivate && !(item->section_count && variable->pointer) &&
	       !sharing_is_shared_at(unit, task->parent, item->variable);
}

/* The bounds of a taskloop are computed before there is a task. */
static bool is_bound(const struct directive *task, unsigned int offset)
{
	unsigned int i;

	for (i = 0; i < task->loop_count; i++)
		if (offset >= task->loops[i].header.from && offset < task->loops[i].header.to)
			return true;
	return false;
}

static void report_unlisted(struct unit *unit, const struct directive *task,
			    const struct reference *reference)
{
	const struct variable *variable = &unit->tree.variables.items[reference->variable];

	report_error(unit, reference->offset,
		     "'%.*s' is in no clause of the enclosing 'omp %s', which has default(none)",
		     (int)variable->length, unit->source.text.data + variable->offset,
		     directive_facts[task->kind].name);
}

static struct clause *add_clause(struct directive *task)
{
	struct clause *clause = list_add(&task->clauses);

	clause->kind = CLAUSE_FIRSTPRIVATE;
	clause->name = "firstprivate";
	clause->offset = task->name;
	return clause;
}

void task_share(struct unit *unit, int index)
{
	struct directive *task = directive_at(unit, index);
	const struct clause *say = directive_clause(task, CLAUSE_DEFAULT);
	const struct tree *tree = &unit->tree;
	struct clause *clause = NULL;
	size_t i;

	for (i = tree_reference_at(tree, task->body.from);
	     i < tree->references.count && tree->references.items[i].offset < task->body.to; i++) {
		const struct reference *reference = &tree->references.items[i];
		const struct variable *variable = &tree->variables.items[reference->variable];
		struct item *item;

		if (sharing_is_declared_in(variable, task) ||
		    sharing_of(task, reference->variable) != SHARING_NONE)
			continue;
		if (say && say->none && !variable->threadprivate && !variable->is_const &&
		    !is_bound(task, reference->offset)) {
			report_unlisted(unit, task, reference);
			return;
		}
		if (say || variable->threadprivate ||
		    sharing_is_shared_at(unit, task->parent, reference->variable))
			continue;
		if (!clause)
			clause = add_clause(task);
		item = list_add(&clause->items);
		item->offset = reference->offset;
		item->length = variable->length;
		item->variable = reference->variable;
	}
}

/* The single construct around task INDEX, in a parallel construct. */
static int single_around(const struct unit *unit, int index)
{
	int at = directive_at(unit, index)->parent;

	while (at >= 0 && directive_at(unit, at)->kind == DIRECTIVE_TASKGROUP)
		at = directive_at(unit, at)->parent;
	if (at < 0 || directive_at(unit, at)->kind != DIRECTIVE_SINGLE ||
	    directive_at(unit, at)->parent < 0 ||
	    !directive_is(directive_at(unit, directive_at(unit, at)->parent)->kind, IS_PARALLEL))
		return -1;
	return at;
}

static bool has_only_simple_constructs(const struct unit *unit, int index)
{
	const struct directive *task = directive_at(unit, index);

	for (index++; index < (int)unit->directives.list.count; index++) {
		const struct directive *inside = directive_at(unit, index);

		if (inside->offset > task->body.to)
			break;
		if (inside->kind != DIRECTIVE_CRITICAL && inside->kind != DIRECTIVE_ATOMIC &&
		    inside->kind != DIRECTIVE_FLUSH && inside->kind != DIRECTIVE_SIMD &&
		    inside->kind != DIRECTIVE_TASKYIELD)
			return false;
	}
	return true;
}

/* Whether other nodes know where the task's last values and the parts of its reductions go. */
static bool returns_only_shared(const struct unit *unit, const struct directive *task)
{
	size_t i, j;

	for (i = 0; i < task->clauses.count; i++) {
		const struct clause *clause = &task->clauses.items[i];

		if (clause->linear)
			return false;
		if (clause->kind != CLAUSE_LASTPRIVATE && !is_in_reduction(task, clause))
			continue;
		for (j = 0; j < clause->items.count; j++) {
			const struct item *item = &clause->items.items[j];
			const struct variable *variable =
				&unit->tree.variables.items[item->variable];

			if (variable->variable_size ||
			    (!(item->section_count && variable->pointer) &&
			     !sharing_is_shared_at(unit, task->parent, item->variable)))
				return false;
		}
	}
	return true;
}

/* Whether another node finds the same after every name in the task. */
static bool touches_only_shared(const struct unit *unit, const struct directive *task)
{
	const struct tree *tree = &unit->tree;
	size_t i;

	if (!returns_only_shared(unit, task))
		return false;
	for (i = tree_reference_at(tree, task->body.from);
	     i < tree->references.count && tree->references.items[i].offset < task->body.to; i++) {
		unsigned int index = tree->references.items[i].variable;
		const struct variable *variable = &tree->variables.items[index];
		enum sharing sharing = sharing_of(task, index);

		if (sharing_is_declared_in(variable, task))
			continue;
		if (!sharing_is_private(sharing)) {
			if (!sharing_is_shared_at(unit, task->parent, index))
				return false;
		} else if (variable->variable_size ||
			   (variable->shape == SHAPE_ARRAY && variable->is_const)) {
			return false;
		}
	}
	return true;
}

/* Whether the reference makes a pointer of an array: fewer subscripts than it has dimensions. */
static bool becomes_pointer(const struct unit *unit, const struct reference *reference,
			    const struct variable *variable)
{
	const struct source *source = &unit->source;
	struct part all = {0, (unsigned int)source->tokens.count};
	unsigned int at = source_token_at(source, reference->offset) + 1, levels = 0;

	while (part_is(source, all, at, "[")) {
		at = part_next(source, at);
		levels++;
	}
	return levels < variable->levels;
}

/* Whether VARIABLE belongs to a task inside SINGLE, which whoever runs the task has anew. */
static bool is_of_task(const struct unit *unit, int single, const struct variable *variable)
{
	int index;

	for (index = single + 1; index < (int)unit->directives.list.count; index++) {
		const struct directive *task = directive_at(unit, index);

		if (task->offset > directive_at(unit, single)->body.to)
			break;
		if (directive_is(task->kind, IS_TASK) && sharing_is_declared_in(variable, task))
			return true;
	}
	return false;
}

/* Whether a pointer to memory that only this node has may exist in the region around SINGLE. */
static bool has_private_pointers(const struct unit *unit, int single)
{
	const struct directive *region = directive_at(unit, directive_at(unit, single)->parent);
	const struct tree *tree = &unit->tree;
	size_t i;

	for (i = tree_reference_at(tree, region->body.from);
	     i < tree->references.count && tree->references.items[i].offset < region->body.to;
	     i++) {
		const struct reference *reference = &tree->references.items[i];
		const struct variable *variable = &tree->variables.items[reference->variable];

		if (sharing_is_shared_at(unit, single, reference->variable) ||
		    is_of_task(unit, single, variable))
			continue;
		if (variable->address_taken || variable->holds_array ||
		    (variable->shape == SHAPE_ARRAY && becomes_pointer(unit, reference, variable)))
			return true;
	}
	return false;
}

void task_find_labels(struct unit *unit)
{
	size_t i;

	for (i = 0; i < unit->directives.list.count; i++) {
		struct directive *task = directive_at(unit, (int)i);
		int single = directive_is(task->kind, IS_TASK) ? single_around(unit, (int)i) : -1;

		if (single < 0 || directive_clause(task, CLAUSE_DEPEND) ||
		    !has_only_simple_constructs(unit, (int)i) || !touches_only_shared(unit, task) ||
		    has_private_pointers(unit, single))
			continue;
		task->label = ++directive_at(unit, single)->labels;
	}
}
