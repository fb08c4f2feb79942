/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * writes.c - through which pointers a parallel region writes to the heap.
 *
 * A store through a pointer stays in the object that it points into.  So when a region calls
 * nothing that stores, and stores only to variables and through pointer variables that nothing
 * changes meanwhile, the rest of the heap stays as it is and need not be compared.
 *
 * Whatever is not understood makes the region one that may write anywhere.
 */
#include "bind.h"
#include "writes.h"

#include <string.h>

#include "calls.h"
#include "sharing.h"
#include "read/directive_facts.h"
#include "read/unit.h"

/* What a store changes: a variable, or what it points to. */
struct target {
	unsigned int variable;
	bool through; /* the pointer */
};

struct region {
	struct unit *unit;
	int index; /* of the parallel construct */
	struct directive *directive;
	struct part body;
	LIST(unsigned int) changed; /* variables that the region assigns to */
};

static bool is(const struct region *region, unsigned int at, const char *word)
{
	return part_is(&region->unit->source, region->body, at, word);
}

static bool is_one_of(const struct region *region, unsigned int at, const char *const *words)
{
	for (; *words; words++)
		if (is(region, at, *words))
			return true;
	return false;
}

static bool is_name(const struct region *region, unsigned int at)
{
	return region->unit->source.tokens.items[at].kind == TOKEN_NAME;
}

static const struct variable *variable_of(const struct region *region, unsigned int variable)
{
	return &region->unit->tree.variables.items[variable];
}

/* The variable that the name at token AT means, or NO_VARIABLE. */
static unsigned int named_at(const struct region *region, unsigned int at)
{
	const struct tree *tree = &region->unit->tree;
	unsigned int offset = region->unit->source.tokens.items[at].offset;
	size_t i = tree_reference_at(tree, offset);

	if (i < tree->references.count && tree->references.items[i].offset == offset)
		return tree->references.items[i].variable;
	return NO_VARIABLE;
}

/* Whether the name at token AT is being declared there. */
static bool is_declared_at(const struct region *region, unsigned int at)
{
	const struct tree *tree = &region->unit->tree;
	unsigned int offset = region->unit->source.tokens.items[at].offset;
	size_t i;

	for (i = 0; i < tree->variables.count; i++)
		if (tree->variables.items[i].offset == offset)
			return true;
	return false;
}

/*
 * The target of a variable with subscripts and members after it, the last token of which is END:
 * x, x[i][j], x.m, x[i].m, x->m.  STAR: a * may stand before it.  False: not understood.
 */
static bool read_target(const struct region *region, unsigned int end, bool star,
			struct target *target)
{
	unsigned int at = end, subscripts = 0;
	const struct variable *variable;
	bool member = false, arrow = false;

	for (;;) {
		if (is(region, at, "]") && !arrow) {
			at = region->unit->source.tokens.items[at].match;
			if (at == NO_MATCH || at <= region->body.first)
				return false;
			subscripts++;
			at--;
			continue;
		}
		if (!is_name(region, at) || at <= region->body.first)
			return false;
		if (!is(region, at - 1, ".") && !is(region, at - 1, "->"))
			break;
		/* A member may be a pointer itself; only the last one is known. */
		if (subscripts || arrow || at - 1 <= region->body.first)
			return false;
		member = true;
		arrow = is(region, at - 1, "->");
		at -= 2;
	}
	target->variable = named_at(region, at);
	if (target->variable == NO_VARIABLE)
		return false;
	variable = variable_of(region, target->variable);
	star = star && is(region, at - 1, "*");
	if (star &&
	    (subscripts || member || (at - 1 > region->body.first && is(region, at - 2, "*"))))
		return false;
	target->through = variable->pointer && (star || subscripts || arrow);
	return subscripts <= variable->levels && (variable->pointer || !(star || arrow)) &&
	       (!member || !variable->pointer || subscripts || arrow);
}

/* The last token of the name at AT and what stands after it. */
static unsigned int last_of(const struct region *region, unsigned int at)
{
	for (;;) {
		if (is(region, at + 1, "["))
			at = part_next(&region->unit->source, at + 1) - 1;
		else if ((is(region, at + 1, ".") || is(region, at + 1, "->")) &&
			 at + 2 < region->body.end)
			at += 2;
		else
			return at;
	}
}

/* Whether all nodes have the same pointer in it, from the region's beginning to its end. */
static bool is_steady(const struct region *region, unsigned int index)
{
	const struct variable *variable = variable_of(region, index);
	int i;

	if (!variable->automatic || variable->address_taken ||
	    variable->offset > region->directive->offset ||
	    variable->scope_end < region->directive->body.to ||
	    sharing_is_hidden(region->unit, region->directive, index))
		return false;
	for (i = region->index; i < (int)region->unit->directives.list.count; i++) {
		const struct directive *directive = &region->unit->directives.list.items[i];

		if (directive->offset >= region->directive->body.to)
			break;
		if (sharing_is_private(sharing_of(directive, index)))
			return false;
	}
	for (i = 0; i < (int)region->changed.count; i++)
		if (region->changed.items[i] == index)
			return false;
	return true;
}

static void note(struct region *region, struct target target)
{
	size_t i;

	if (!target.through) {
		*list_add(&region->changed) = target.variable;
		return;
	}
	for (i = 0; i < region->directive->writes.count; i++)
		if (region->directive->writes.items[i] == target.variable)
			return;
	*list_add(&region->directive->writes) = target.variable;
}

/* ++ or -- at AT: before or after what it changes. */
static bool read_step(struct region *region, unsigned int at, struct target *target)
{
	static const char *const words[] = {"return", "else", "do", "case", "sizeof", NULL};

	if (at > region->body.first &&
	    (is(region, at - 1, "]") ||
	     (is_name(region, at - 1) && !is_one_of(region, at - 1, words))))
		return read_target(region, at - 1, false, target);
	if (at + 1 >= region->body.end || !is_name(region, at + 1))
		return false;
	return read_target(region, last_of(region, at + 1), false, target);
}

static bool read_stores(struct region *region)
{
	static const char *const assignments[] = {
		"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", NULL};
	static const char *const steps[] = {"++", "--", NULL};
	struct target target;
	unsigned int at;

	for (at = region->body.first; at < region->body.end; at++) {
		if (is_one_of(region, at, assignments)) {
			if (at > region->body.first && is_name(region, at - 1) &&
			    is_declared_at(region, at - 1))
				continue;
			if (at == region->body.first || !read_target(region, at - 1, true, &target))
				return false;
			note(region, target);
		} else if (is_one_of(region, at, steps)) {
			if (!read_step(region, at, &target))
				return false;
			note(region, target);
		}
	}
	return true;
}

/* Constructs that publish what was written before their region ends are left out. */
static bool has_plain_constructs(const struct region *region)
{
	int i;

	for (i = region->index; i < (int)region->unit->directives.list.count; i++) {
		const struct directive *directive = &region->unit->directives.list.items[i];
		size_t j, k;

		if (directive->offset >= region->directive->body.to)
			break;
		if (!directive_is(directive->kind, KEEPS_WRITES) ||
		    (directive_is(directive->kind, IS_PARALLEL) && i != region->index))
			return false;
		for (j = 0; j < directive->clauses.count; j++)
			for (k = 0; k < directive->clauses.items[j].items.count; k++)
				if (directive->clauses.items[j].items.items[k].section_count)
					return false;
	}
	return true;
}

static bool only_computes(void *context, unsigned int name)
{
	return calls_only_computes(context, name);
}

static bool are_writes_known(struct region *region)
{
	struct source *source = &region->unit->source;
	size_t i;

	if (!has_plain_constructs(region) ||
	    !calls_all(region->unit, region->body, only_computes, source) || !read_stores(region))
		return false;
	for (i = 0; i < region->directive->writes.count; i++)
		if (!is_steady(region, region->directive->writes.items[i]))
			return false;
	return true;
}

void writes_find(struct unit *unit)
{
	size_t i;

	for (i = 0; i < unit->directives.list.count; i++) {
		struct directive *directive = &unit->directives.list.items[i];
		struct region region = {.unit = unit, .index = (int)i, .directive = directive};

		if (!directive_is(directive->kind, IS_PARALLEL) ||
		    enclosing_parallel(unit, (int)i) >= 0)
			continue;
		region.body.first = source_token_at(&unit->source, directive->body.from);
		region.body.end = source_token_at(&unit->source, directive->body.to);
		directive->writes_known = are_writes_known(&region);
		list_free(&region.changed);
	}
}
