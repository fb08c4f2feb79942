/* SPDX-License-Identifier: GPL-2.0-or-later */
/* visible.c - whether a variable has its name at a place. */
#include "visible.h"

#include <string.h>

#include "read/unit.h"

static bool is_in_scope(const struct variable *variable, unsigned int offset)
{
	return variable->offset < offset &&
	       (variable->function < 0 || offset < variable->scope_end);
}

bool visible_at(const struct unit *unit, unsigned int offset, const struct syntax *variable)
{
	const struct tree *tree = &unit->tree;
	const char *text = unit->source.text.data;
	unsigned int index = tree_variable_at(tree, variable->declaration);

	if (index == NO_VARIABLE ? syntax_function_at(&unit->syntax, variable->declaration) >= 0
				 : !is_in_scope(&tree->variables.items[index], offset))
		return false;
	for (size_t i = 0; i < tree->variables.count; i++) {
		const struct variable *other = &tree->variables.items[i];

		if (i != index && other->function >= 0 && other->offset > variable->declaration &&
		    is_in_scope(other, offset) && other->length == strlen(variable->word) &&
		    !memcmp(text + other->offset, variable->word, other->length))
			return false;
	}
	return true;
}
