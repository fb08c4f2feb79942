/* SPDX-License-Identifier: GPL-2.0-or-later */
/* own.c - variables that each thread has for itself where a loop runs. */
#include "check/sharing.h"
#include "read/directive_facts.h"
#include "read/unit.h"
#include "walk.h"

/* Whether a construct inside of the loop, as simd is one, has its own at OFFSET. */
static bool is_own_inside(const struct walk *walk, unsigned int variable, unsigned int offset)
{
	const struct directive_list *directives = &walk->unit->directives;
	unsigned int end = walk->in_pipeline ? walk->block.to : walk->directive->body.to;
	const struct directive *directive;

	for (size_t i = walk->sets->directive + 1; i < directives->list.count; i++) {
		directive = &directives->list.items[i];
		if (directive->offset >= end)
			break;
		if (offset >= directive->offset && offset < directive->body.to &&
		    sharing_is_private(sharing_of(directive, variable)))
			return true;
	}
	return false;
}

bool walk_is_own(const struct walk *walk, const struct syntax *variable)
{
	const struct tree *tree = &walk->unit->tree;
	unsigned int index = tree_variable_at(tree, variable->declaration);

	/* Those of a function that the loop calls are its thread's. */
	if (index == NO_VARIABLE || (variable->automatic && tree->variables.items[index].function !=
								    walk->directive->function))
		return variable->automatic;
	return is_own_inside(walk, index, variable->range.from) ||
	       !sharing_is_shared_at(walk->unit, (int)walk->sets->directive, index);
}

bool walk_holds(const struct walk *walk, const struct syntax *variable)
{
	const struct tree *tree = &walk->unit->tree;
	unsigned int index = tree_variable_at(tree, variable->declaration);

	return walk_is_own(walk, variable) ||
	       (!walk->in_pipeline && variable->automatic && !variable->type.is_volatile &&
		!variable->type.is_atomic && !tree->variables.items[index].address_taken);
}

static bool note_exposed(void *context, const struct syntax *piece)
{
	struct walk *walk = context;

	if (piece->kind == SYNTAX_ADDRESS && piece->parts[0]->kind == SYNTAX_VARIABLE)
		*list_add(&walk->exposed) = piece->parts[0]->declaration;
	return false;
}

void walk_find_exposed(struct walk *walk, const struct syntax *piece)
{
	syntax_each(&walk->unit->syntax, piece, note_exposed, walk);
}

bool walk_is_exposed(const struct walk *walk, unsigned int declaration)
{
	for (size_t i = 0; i < walk->exposed.count; i++)
		if (walk->exposed.items[i] == declaration)
			return true;
	return false;
}

bool walk_may_change(const struct walk *walk, const struct syntax *piece, unsigned int declaration)
{
	return walk_is_exposed(walk, declaration) ||
	       scope_changes(&walk->unit->syntax, piece, declaration);
}
