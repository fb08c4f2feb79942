/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tree_lost.c - names in statements that the compiler takes and libclang does not: it leaves out
 * such a statement as a whole, a nested function of GNU C, too.
 *
 * The name means what its scope says.  A member or a tag of that name is taken for the variable:
 * then the run time gets a variable more than it needs.
 */
#include "tree_lost.h"

#include "report.h"
#include "unit.h"

static bool is(const struct source *source, unsigned int at, const char *word)
{
	return token_is(source, &source->tokens.items[at], word);
}

static bool is_known(const struct tree *tree, unsigned int offset)
{
	size_t i = tree_reference_at(tree, offset);

	return (i < tree->references.count && tree->references.items[i].offset == offset) ||
	       tree_variable_at(tree, offset) != NO_VARIABLE;
}

static void find_in_function(struct unit *unit, int index, reference_list *lost)
{
	const struct function *function = &unit->tree.functions.items[index];
	const struct source *source = &unit->source;
	unsigned int at = source_token_at(source, function->body.from);

	for (at++; at < source->tokens.count; at++) {
		const struct token *token = &source->tokens.items[at];
		struct reference *reference;
		unsigned int variable;

		if (token->offset >= function->body.to)
			return;
		if (token->kind != TOKEN_NAME || is(source, at - 1, ".") ||
		    is(source, at - 1, "->") || is_known(&unit->tree, token->offset))
			continue;
		variable = tree_lookup(unit, token->offset, token->length, token->offset, index);
		if (variable == NO_VARIABLE)
			continue;
		if (is(source, at - 1, "&"))
			unit->tree.variables.items[variable].address_taken = true;
		reference = list_add(lost);
		*reference = (struct reference){token->offset, variable};
	}
}

void tree_find_lost(struct unit *unit)
{
	reference_list lost = {0};
	size_t i;

	if (unit->synchronisation.objects)
		report_error(unit, unit->tree.error,
			     "only the compiler can parse this, and it may use an _Atomic object; "
			     "cape-cc must be able to parse all of a file with such objects");
	for (i = 0; i < unit->tree.functions.count; i++)
		find_in_function(unit, (int)i, &lost);
	for (i = 0; i < lost.count; i++)
		*(struct reference *)list_add(&unit->tree.references) = lost.items[i];
	tree_sort_references(&unit->tree);
	list_free(&lost);
}
