/* SPDX-License-Identifier: GPL-2.0-or-later */
/* scope.c - what the variables hold that a loop changes. */
#include "scope.h"

const struct binding *scope_find(const binding_list *scope, unsigned int declaration)
{
	for (size_t i = scope->count; i-- > 0;)
		if (scope->items[i].declaration == declaration)
			return &scope->items[i];
	return NULL;
}

void scope_bind(binding_list *scope, unsigned int declaration, struct syntax *value,
		unsigned int offset)
{
	struct binding *binding = list_add(scope);

	binding->declaration = declaration;
	binding->value = value;
	binding->changed_at = offset;
}

const struct syntax *scope_variable(const struct syntax *object)
{
	while ((object->kind == SYNTAX_ELEMENT && object->parts[0]->type.kind == TYPE_ARRAY) ||
	       (object->kind == SYNTAX_MEMBER && !object->arrow))
		object = object->parts[0];
	return object->kind == SYNTAX_VARIABLE ? object : NULL;
}

const struct syntax *scope_changed_by(const struct syntax *piece)
{
	switch (piece->kind) {
	case SYNTAX_ASSIGN:
	case SYNTAX_STEP:
	case SYNTAX_ADDRESS:
		return scope_variable(piece->parts[0]);
	case SYNTAX_DECLARATION:
		return piece;
	default:
		return NULL;
	}
}

static bool forget(void *context, const struct syntax *piece)
{
	binding_list *all = context;
	const struct syntax *variable = scope_changed_by(piece);
	const struct binding *known = variable ? scope_find(all, variable->declaration) : NULL;

	if (variable && (!known || known->value))
		scope_bind(all, variable->declaration, NULL, piece->range.from);
	return false;
}

void scope_forget(binding_list *scope, const struct syntax_trees *trees, const struct syntax *piece)
{
	syntax_each(trees, piece, forget, scope);
}

static bool changes_one(void *context, const struct syntax *piece)
{
	const struct syntax *variable = scope_changed_by(piece);

	return variable && variable->declaration == *(const unsigned int *)context;
}

bool scope_changes(const struct syntax_trees *trees, const struct syntax *piece,
		   unsigned int declaration)
{
	return syntax_each(trees, piece, changes_one, &declaration);
}
