/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sets.c - the sets of every loop that a team shares out. */
#include "sets.h"

#include <string.h>

#include "check/loop.h"
#include "check/sharing.h"
#include "described.h"
#include "even.h"
#include "read/directive_facts.h"
#include "read/report.h"
#include "read/unit.h"
#include "said.h"
#include "statement.h"
#include "visible.h"
#include "walk.h"

bool sets_know_writes(const struct sets *sets)
{
	for (size_t i = 0; i < sets->unknown.count; i++)
		if (sets->unknown.items[i].writes)
			return false;
	return true;
}

/* -- variables --------------------------------------------------------------------------------- */

bool iterator_descends(const struct iterator *iterator)
{
	return !loop_relation_ascends(iterator->relation, iterator->minus);
}

/* -- loops ------------------------------------------------------------------------------------- */

static struct syntax *find_loop(struct unit *unit, const struct loop *loop)
{
	struct syntax *path[SYNTAX_DEPTH];
	unsigned int depth = syntax_path(&unit->syntax, loop->header.from, path, SYNTAX_DEPTH);

	while (depth-- > 0)
		if (path[depth]->kind == SYNTAX_FOR && path[depth]->range.from == loop->header.from)
			return path[depth];
	return NULL;
}

/* A variable of the tree's, as the loop names it. */
static struct syntax *variable_of(struct walk *walk, unsigned int index)
{
	const struct variable *variable = &walk->unit->tree.variables.items[index];
	struct range range = {walk->directive->body.from, walk->directive->body.from};
	struct syntax *syntax = syntax_new(&walk->unit->syntax, SYNTAX_VARIABLE, range, 0);

	syntax->declaration = variable->offset;
	syntax->automatic = variable->automatic;
	syntax->word =
		syntax_word(&walk->unit->syntax, walk->unit->source.text.data + variable->offset,
			    variable->length);
	syntax->type.kind = TYPE_INTEGER;
	return syntax;
}

static void hand_on(struct walk *walk, const struct directive *directive, unsigned int variable)
{
	if (directive->kind == DIRECTIVE_SIMD &&
	    sharing_is_shared_at(walk->unit, directive->parent, variable))
		walk_may_write(walk, variable_of(walk, variable));
}

/* What a simd loop hands on to the variables that threads have in common. */
static void note_simd(struct walk *walk)
{
	const struct directive_list *directives = &walk->unit->directives;
	const struct directive *directive;

	for (size_t i = walk->sets->directive + 1; i < directives->list.count; i++) {
		directive = &directives->list.items[i];
		if (directive->offset >= walk->directive->body.to)
			return;
		for (size_t j = 0; j < directive->clauses.count; j++)
			for (size_t k = 0; directive->clauses.items[j].kind == CLAUSE_LASTPRIVATE &&
					   k < directive->clauses.items[j].items.count;
			     k++)
				hand_on(walk, directive,
					directive->clauses.items[j].items.items[k].variable);
	}
}

/* The type of the variable of LOOP; NULL: not known. */
static const struct type *type_of_variable(const struct syntax *loop)
{
	const struct syntax *first = loop->parts[0];

	if (first && first->kind == SYNTAX_BLOCK && first->count == 1)
		first = first->parts[0];
	if (first && first->kind == SYNTAX_DECLARATION)
		return &first->type;
	return first && first->kind == SYNTAX_ASSIGN ? &first->parts[0]->type : NULL;
}

/* The variables of the construct's own loops, of which LOOP is the innermost one. */
static void declare_iterators(struct walk *walk, const struct syntax *loop)
{
	const struct directive *directive = walk->directive;
	const struct type *type = type_of_variable(loop);

	for (unsigned int i = 0; i < directive->loop_count; i++) {
		bool inner = i + 1 == directive->loop_count;
		struct syntax *variable = variable_of(walk, directive->loops[i].variable);

		if (inner && type && type->kind == TYPE_INTEGER)
			variable->type = *type;
		statement_iterator(
			walk, variable,
			&(struct iterator){.kind = inner ? ITERATOR_SHARED_OUT : ITERATOR_FIXED,
					   .minus = directive->loops[i].minus});
	}
}

/* OpenMP forbids a body that changes the variable of its loop, and some do. */
static void look_at_iterators(struct walk *walk, const struct syntax *body)
{
	const struct directive *directive = walk->directive;

	for (unsigned int i = 0; i < directive->loop_count; i++) {
		const struct syntax *variable = variable_of(walk, directive->loops[i].variable);

		if (walk_may_change(walk, body, variable->declaration))
			walk_stop(walk, true, directive->loops[i].header,
				  "its body may change '%s', the variable of the loop",
				  variable->word);
	}
}

/* What the directive does that is not followed, or one inside of it. */
static void look_at_directive(struct walk *walk)
{
	const struct directive *own = walk->directive;
	const struct clause *schedule = directive_clause(own, CLAUSE_SCHEDULE);
	size_t i;

	for (i = 0; i < own->clauses.count; i++)
		if (own->clauses.items[i].linear)
			walk_stop(walk, true,
				  walk_word_at(walk->unit, own->clauses.items[i].offset),
				  "its variables change from one iteration to the next");
	for (i = 0; i < own->loop_count; i++)
		if (own->loops[i].pointer)
			walk_stop(walk, true, own->loops[i].header,
				  "the variable of the loop is a pointer");
	if (schedule && schedule->call && strcmp(schedule->call, "cape_schedule_static") != 0)
		walk_stop(walk, true, walk_word_at(walk->unit, schedule->offset),
			  "which thread runs what is decided while the loop runs");
	if (directive_clause(own, CLAUSE_ORDERED))
		walk_stop(walk, true, walk_word_at(walk->unit, own->name),
			  "its iterations wait for each other");
	walk_look_at_directives(walk, own->body, walk->sets->directive + 1);
}

/* -- names ------------------------------------------------------------------------------------- */

static void look_at_names(struct walk *walk, const struct syntax *value, struct range at)
{
	if (!value)
		return;
	if (value->kind == SYNTAX_VARIABLE && !visible_at(walk->unit, walk_place(walk), value))
		walk_stop(walk, true, at,
			  "where the loop begins '%s' means another variable, or none",
			  value->word);
	for (unsigned int i = 0; i < value->count; i++)
		look_at_names(walk, value->parts[i], at);
}

/* What is found is described where the loop begins. */
void sets_look_at_names(struct walk *walk, struct range header)
{
	const struct sets *sets = walk->sets;

	for (size_t i = 0; i < sets->memory.count; i++) {
		const struct part_of_set *part = sets->memory.items[i];
		const struct iterator *iterator = &sets->iterators.items[part->iterator];

		if (part->replaced || even_is_empty(TELL_CHECKED, part))
			continue;
		look_at_names(walk, part->condition, header);
		look_at_names(walk, part->object, part->object ? part->object->range : header);
		if (part->kind != PART_LOOP)
			continue;
		look_at_names(walk, iterator->first, header);
		look_at_names(walk, iterator->limit, header);
		look_at_names(walk, iterator->step, header);
	}
}

/* What the program says by #pragma cape is not enough. */
static void warn(struct unit *unit, const struct sets *sets)
{
	const struct said *said = unit->directives.list.items[sets->directive].said;

	size_t i = 0;

	while (!sets->unknown.items[i].writes)
		i++;
	report_warning(unit, sets->unknown.items[i].offset,
		       "in spite of '#pragma cape' in line %u the loop is not known: %s%s",
		       source_place(&unit->source, said->line.from).line,
		       sets->unknown.items[i].why,
		       !said->has[SAID_WRITES]	? "; the pragma has no writes(...)"
		       : !said->has[SAID_READS] ? "; the pragma has no reads(...)"
						: "");
}

static void find(struct unit *unit, unsigned int index, sets_list *list)
{
	const struct directive *directive = &unit->directives.list.items[index];
	const struct loop *innermost = &directive->loops[directive->loop_count - 1];
	struct walk walk = {.unit = unit, .directive = directive, .sets = list_add(list)};
	struct syntax *loop = find_loop(unit, innermost);
	size_t first;

	walk.sets->directive = index;
	walk.sets->all = walk_enter(&walk, PART_BLOCK);
	look_at_directive(&walk);
	if (unit->tree.errors) {
		walk_stop(&walk, true, innermost->header,
			  "libclang rejects line %u of the file: %s",
			  source_place(&unit->source, unit->tree.error).line, unit->tree.message);
	} else if (!loop || unit->synchronisation.any) {
		walk_stop(&walk, true, innermost->header, "a loop of this kind is not followed");
	} else {
		walk_find_exposed(&walk, loop);
		scope_forget(&walk.scope, &unit->syntax, loop);
		look_at_iterators(&walk, loop->parts[3]);
		declare_iterators(&walk, loop);
		note_simd(&walk);
		said_walk(&walk);
		first = walk.sets->memory.count;
		statement_walk_body(&walk, loop->parts[3]);
		said_replace_parts(&walk, loop, first);
		sets_look_at_names(&walk, directive->loops[0].header);
	}
	described_find(&walk, loop);
	if (directive->said && !unit->errors && !sets_know_writes(walk.sets))
		warn(unit, walk.sets);
	list_free(&walk.scope);
	list_free(&walk.exposed);
	list_free(&walk.functions);
}

void sets_find(struct unit *unit, sets_list *list)
{
	size_t i;

	for (i = 0; i < unit->directives.list.count; i++)
		if (directive_is(unit->directives.list.items[i].kind, IS_LOOP) &&
		    unit->directives.list.items[i].loop_count)
			find(unit, (unsigned int)i, list);
	for (i = 0; i < list->count; i++)
		unit->directives.list.items[list->items[i].directive].sets = &list->items[i];
}

void sets_clear(struct sets *sets)
{
	for (size_t i = 0; i < sets->memory.count; i++) {
		list_free(&sets->memory.items[i]->parts);
		memory_free(sets->memory.items[i]);
	}
	list_free(&sets->memory);
	list_free(&sets->iterators);
	list_free(&sets->unknown);
	list_free(&sets->said);
	list_free(&sets->late);
	list_free(&sets->somewhere);
}

void sets_free(sets_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		sets_clear(&list->items[i]);
	list_free(list);
}
