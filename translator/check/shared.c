/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * shared.c - which automatic variables a parallel region can change, so that the run time must
 * know them; and default(none).
 *
 * A scalar whose address nobody takes needs no registration unless the region itself assigns to
 * it: sequential code gives it the same value on every node.  It then stays in a register.
 */
#include <stdlib.h>
#include <string.h>

#include "sharing.h"
#include "bind.h"
#include "read/directive_facts.h"
#include "read/report.h"
#include "read/unit.h"

/* What one region does with a variable of its function. */
struct use {
	bool named;
	bool written;
	bool reported;
};

struct region {
	struct unit *unit;
	int index; /* of the parallel construct */
	const struct function *function;
	struct use *uses; /* one for each of tree.variables */
};

static const struct directive *directive_at(const struct unit *unit, int index)
{
	return &unit->directives.list.items[index];
}

/* Whether a construct from INDEX outwards, up to but not including REGION's, has its own copy. */
static bool is_private_inside(const struct region *region, int index, unsigned int variable)
{
	for (; index >= 0 && index != region->index;
	     index = directive_at(region->unit, index)->parent)
		if (sharing_is_private(sharing_of(directive_at(region->unit, index), variable)))
			return true;
	return false;
}

static bool is_one_of(const struct source *source, const struct token *token,
		      const char *const *words)
{
	for (; *words; words++)
		if (token_is(source, token, *words))
			return true;
	return false;
}

/* Whether the scalar at AT of these tokens is assigned to, stepped, or an operand of asm. */
static bool is_written_in(const struct source *source, const token_list *list, unsigned int at)
{
	static const char *const assignments[] = {
		"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", NULL};
	static const char *const steps[] = {"++", "--", NULL};
	const struct token *tokens = list->items;
	unsigned int before = at, after = at + 1;

	while (before > 0 && after < list->count && token_is(source, &tokens[before - 1], "(") &&
	       tokens[before - 1].match == after) {
		if (before > 1 && tokens[before - 2].kind == TOKEN_STRING)
			return true; /* asm ("..." : "=r" (x)) */
		before--;
		after++;
	}
	if (before > 0 && (token_is(source, &tokens[before - 1], "__real__") ||
			   token_is(source, &tokens[before - 1], "__imag__") ||
			   token_is(source, &tokens[before - 1], "__real") ||
			   token_is(source, &tokens[before - 1], "__imag")))
		return true;
	if (before > 0 && is_one_of(source, &tokens[before - 1], steps))
		return true;
	if (after >= list->count)
		return false;
	if (is_one_of(source, &tokens[after], steps))
		return true;
	return is_one_of(source, &tokens[after], assignments) && /* *p = ... leaves p alone */
	       !(before > 0 && token_is(source, &tokens[before - 1], "*"));
}

static bool is_written_at(const struct source *source, unsigned int at)
{
	return is_written_in(source, &source->tokens, at);
}

/* default(none): every variable from outside that the region shares must be listed. */
static void check_listed(struct region *region, const struct reference *reference)
{
	struct unit *unit = region->unit;
	const struct directive *directive = directive_at(unit, region->index);
	const struct clause *clause = directive_clause(directive, CLAUSE_DEFAULT);
	const struct variable *variable = &unit->tree.variables.items[reference->variable];

	if (!clause || !clause->none || variable->threadprivate || variable->is_const ||
	    (variable->offset > directive->body.from && variable->offset < directive->body.to) ||
	    sharing_of(directive, reference->variable) != SHARING_NONE)
		return;
	if (region->uses[reference->variable].reported)
		return;
	region->uses[reference->variable].reported = true;
	report_error(unit, reference->offset,
		     "'%.*s' is in no clause of the enclosing 'omp %s', which has default(none)",
		     (int)variable->length, unit->source.text.data + variable->offset,
		     directive_facts[directive->kind].name);
}

static void note_reference(struct region *region, const struct reference *reference, int construct)
{
	struct use *use;

	if (is_private_inside(region, construct, reference->variable))
		return;
	check_listed(region, reference);
	use = &region->uses[reference->variable];
	use->named = true;
	use->written |= is_written_at(&region->unit->source,
				      source_token_at(&region->unit->source, reference->offset));
}

/* The originals after the clauses of a construct inside the region. */
static void note_clauses(struct region *region, const struct directive *directive)
{
	size_t i, j;

	for (i = 0; i < directive->clauses.count; i++) {
		const struct clause *clause = &directive->clauses.items[i];

		for (j = 0; j < clause->items.count; j++) {
			const struct item *item = &clause->items.items[j];
			struct reference reference = {item->offset, item->variable};

			if ((clause->kind != CLAUSE_FIRSTPRIVATE &&
			     clause->kind != CLAUSE_LASTPRIVATE && !is_reduction(clause->kind)) ||
			    is_private_inside(region, directive->parent, item->variable))
				continue;
			check_listed(region, &reference);
			region->uses[item->variable].named = true;
			region->uses[item->variable].written |=
				clause->kind != CLAUSE_FIRSTPRIVATE && !item->section_count;
		}
	}
}

/* What the expressions in the clauses of a construct inside the region change. */
static void note_words(struct region *region, const struct directive *directive)
{
	const struct unit *unit = region->unit;
	const token_list *words = &unit->directives.words;
	unsigned int at, variable;

	for (at = 1; at < words->count && words->items[at].offset < directive->end; at++) {
		const struct token *word = &words->items[at];

		if (word->offset < directive->offset || word->kind != TOKEN_NAME ||
		    (!is_written_in(&unit->source, words, at) &&
		     !token_is(&unit->source, word - 1, "&")))
			continue;
		variable = tree_lookup(unit, word->offset, word->length, directive->offset,
				       directive->function);
		if (variable == NO_VARIABLE ||
		    is_private_inside(region, directive->parent, variable))
			continue;
		region->uses[variable].named = region->uses[variable].written = true;
	}
}

/* Goes through the region's references, with the innermost construct around each. */
static void note_region(struct region *region)
{
	struct unit *unit = region->unit;
	const struct directive *outer = directive_at(unit, region->index);
	size_t i = tree_reference_at(&unit->tree, outer->body.from);
	int next = region->index + 1, construct = region->index;

	for (; i < unit->tree.references.count; i++) {
		const struct reference *reference = &unit->tree.references.items[i];

		if (reference->offset >= outer->body.to)
			break;
		for (; next < (int)unit->directives.list.count &&
		       directive_at(unit, next)->offset < reference->offset;
		     next++)
			if (directive_is(directive_at(unit, next)->kind, HAS_BODY))
				construct = next;
		while (construct != region->index &&
		       directive_at(unit, construct)->body.to <= reference->offset)
			construct = directive_at(unit, construct)->parent;
		note_reference(region, reference, construct);
	}
	for (next = region->index + 1; next < (int)unit->directives.list.count &&
				       directive_at(unit, next)->offset < outer->body.to;
	     next++) {
		note_clauses(region, directive_at(unit, next));
		note_words(region, directive_at(unit, next));
	}
}

/* Whether the reduction of VARIABLE is one of what it points to. */
static bool has_section(const struct directive *directive, unsigned int variable)
{
	size_t i, j;

	for (i = 0; i < directive->clauses.count; i++) {
		const struct clause *clause = &directive->clauses.items[i];

		for (j = 0; j < clause->items.count; j++)
			if (clause->items.items[j].variable == variable &&
			    clause->items.items[j].section_count)
				return true;
	}
	return false;
}

static bool must_register(const struct region *region, unsigned int index)
{
	const struct directive *directive = directive_at(region->unit, region->index);
	const struct variable *variable = &region->unit->tree.variables.items[index];
	const struct use *use = &region->uses[index];
	enum sharing sharing = sharing_of(directive, index);

	if (!variable->automatic || variable->is_const || variable->offset > directive->offset ||
	    variable->scope_end < directive->body.to)
		return false;
	if (sharing == SHARING_LASTPRIVATE || sharing == SHARING_FIRST_LASTPRIVATE)
		return true;
	if (sharing == SHARING_REDUCTION)
		return !variable->pointer || !has_section(directive, index);
	if (sharing_is_private(sharing))
		return false;
	return use->written || variable->address_taken || variable->shape != SHAPE_SCALAR;
}

/*
 * What only such a variable points to, the compiler would take for this function's own: it would
 * keep it in registers while other nodes change it.
 */
static bool may_reach(const struct region *region, unsigned int index)
{
	const struct directive *directive = directive_at(region->unit, region->index);
	const struct variable *variable = &region->unit->tree.variables.items[index];

	return region->uses[index].named && variable->automatic &&
	       (variable->pointer || variable->shape != SHAPE_SCALAR) &&
	       variable->offset < directive->offset && variable->scope_end >= directive->body.to &&
	       sharing_of(directive, index) != SHARING_PRIVATE;
}

/* Memory of a block that has no name cannot be registered. */
static void check_literals(const struct region *region)
{
	struct unit *unit = region->unit;
	const struct directive *directive = directive_at(unit, region->index);
	size_t i;

	for (i = 0; i < unit->tree.literals.count; i++) {
		const struct literal *literal = &unit->tree.literals.items[i];

		if (literal->offset > region->function->body.from &&
		    literal->offset < directive->offset && literal->scope_end >= directive->body.to)
			report_error(unit, literal->offset,
				     "a compound literal that is alive during 'omp %s' is not "
				     "supported: its memory has no name; use a variable",
				     directive_facts[directive->kind].name);
	}
}

static bool is_in_region(const struct unit *unit, unsigned int offset)
{
	size_t i;

	for (i = 0; i < unit->directives.list.count; i++) {
		const struct directive *directive = directive_at(unit, (int)i);

		if (directive_is(directive->kind, IS_PARALLEL) && directive->body.from <= offset &&
		    offset < directive->body.to)
			return true;
	}
	return false;
}

static void check_alloca(struct unit *unit, const struct directive *directive)
{
	static const char *const names[] = {"alloca", "__builtin_alloca",
					    "__builtin_alloca_with_align", NULL};
	const struct function *function = &unit->tree.functions.items[directive->function];
	unsigned int at = source_token_at(&unit->source, function->body.from);

	for (; at + 1 < unit->source.tokens.count; at++) {
		const struct token *token = &unit->source.tokens.items[at];

		if (token->offset >= function->body.to)
			break;
		if (token->kind == TOKEN_NAME && is_one_of(&unit->source, token, names) &&
		    token_is(&unit->source, token + 1, "(") && !is_in_region(unit, token->offset))
			report_error(unit, token->offset,
				     "alloca() in a function with 'omp %s' is not supported: the "
				     "run time could not find its memory; use an array or malloc()",
				     directive_facts[directive->kind].name);
	}
}

static bool is_mapped(const struct unit *unit, const struct directive *directive,
		      const struct variable *variable)
{
	const struct source *source = &unit->source;
	const char *name = source->text.data + variable->offset, *at;
	size_t i;

	for (i = 0; i < directive->clauses.count; i++) {
		const struct clause *clause = &directive->clauses.items[i];

		if (!strcmp(clause->name, "defaultmap"))
			return true;
		if (clause->kind != CLAUSE_MAP)
			continue;
		for (at = source->text.data + clause->argument.from;
		     at + variable->length <= source->text.data + clause->argument.to; at++)
			if (!memcmp(at, name, variable->length))
				return true;
	}
	return false;
}

/* Whether a construct inside INDEX has a private copy of the variable at REFERENCE. */
static bool is_private_below(const struct unit *unit, int index, const struct reference *reference)
{
	const struct directive *outer = directive_at(unit, index), *inner;

	for (index++; index < (int)unit->directives.list.count; index++) {
		inner = directive_at(unit, index);
		if (inner->offset > outer->body.to)
			break;
		if (inner->body.from <= reference->offset && reference->offset < inner->body.to &&
		    sharing_is_private(sharing_of(inner, reference->variable)))
			return true;
	}
	return false;
}

/*
 * A scalar that a target construct does not map is a copy of its own there; running on the host,
 * it would be the variable itself.
 */
static void check_target(struct unit *unit, int index)
{
	const struct directive *target = directive_at(unit, index);
	const struct tree *tree = &unit->tree;
	size_t i;

	for (i = tree_reference_at(tree, target->body.from);
	     i < tree->references.count && tree->references.items[i].offset < target->body.to;
	     i++) {
		const struct reference *reference = &tree->references.items[i];
		const struct variable *variable = &tree->variables.items[reference->variable];

		if (!variable->automatic || variable->shape != SHAPE_SCALAR ||
		    (variable->offset > target->body.from && variable->offset < target->body.to) ||
		    sharing_of(target, reference->variable) != SHARING_NONE ||
		    is_mapped(unit, target, variable) || is_private_below(unit, index, reference) ||
		    !is_written_at(&unit->source,
				   source_token_at(&unit->source, reference->offset)))
			continue;
		report_error(unit, reference->offset,
			     "'%.*s' is copied into 'omp target' and not back, so this value would "
			     "be lost: write map(tofrom: %.*s) or private(%.*s)",
			     (int)variable->length, unit->source.text.data + variable->offset,
			     (int)variable->length, unit->source.text.data + variable->offset,
			     (int)variable->length, unit->source.text.data + variable->offset);
		return;
	}
}

static void find_shared(struct unit *unit, int index)
{
	struct directive *directive = &unit->directives.list.items[index];
	const struct function *function = &unit->tree.functions.items[directive->function];
	struct region region = {unit, index, function,
				calloc(unit->tree.variables.count + 1, sizeof(struct use))};
	unsigned int i;

	if (!region.uses) {
		report_error(unit, directive->offset, "out of memory");
		return;
	}
	note_region(&region);
	if (enclosing_parallel(unit, index) < 0)
		check_literals(&region);
	/* Of one inside another, too: that may turn out to be a team of one, and this one active.
	 */
	for (i = function->first_variable; i < function->end_variable; i++)
		if (must_register(&region, i))
			*list_add(&directive->shared) = i;
		else if (may_reach(&region, i))
			*list_add(&directive->reaching) = i;
	free(region.uses);
}

void sharing_find_shared(struct unit *unit)
{
	int function = -1;
	size_t i;

	for (i = 0; i < unit->directives.list.count; i++) {
		const struct directive *directive = directive_at(unit, (int)i);

		if (directive->target)
			check_target(unit, (int)i);
		if (!directive_is(directive->kind, IS_PARALLEL))
			continue;
		if (directive->function != function)
			check_alloca(unit, directive);
		function = directive->function;
		find_shared(unit, (int)i);
	}
}
