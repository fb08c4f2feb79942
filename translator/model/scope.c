/* SPDX-License-Identifier: GPL-2.0-or-later */
/* scope.c - what the variables hold that a loop changes. */
#include "scope.h"

#define DEPTH_LIMIT 32 /* of functions that call each other */

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

/* The variable of which OBJECT is a part, or NULL: one that is reached by a pointer. */
static const struct syntax *variable_of(const struct syntax *object)
{
	while ((object->kind == SYNTAX_ELEMENT && object->parts[0]->type.kind == TYPE_ARRAY) ||
	       (object->kind == SYNTAX_MEMBER && !object->arrow))
		object = object->parts[0];
	return object->kind == SYNTAX_VARIABLE ? object : NULL;
}

/* The variable that this piece itself changes, not one of its parts. */
static const struct syntax *changed_by(const struct syntax *piece)
{
	switch (piece->kind) {
	case SYNTAX_ASSIGN:
	case SYNTAX_STEP:
	case SYNTAX_ADDRESS:
		return variable_of(piece->parts[0]);
	case SYNTAX_DECLARATION:
		return piece;
	default:
		return NULL;
	}
}

typedef bool take_change(void *context, const struct syntax *variable, const struct syntax *by);

/* Until TAKE returns true, which is returned. */
static bool each_change(const struct syntax_trees *trees, const struct syntax *piece,
			unsigned int depth, take_change *take, void *context)
{
	const struct syntax *variable;

	if (!piece || depth == DEPTH_LIMIT)
		return false;
	variable = changed_by(piece);
	if (variable && take(context, variable, piece))
		return true;
	for (unsigned int i = 0; i < piece->count; i++)
		if (each_change(trees, piece->parts[i], depth, take, context))
			return true;
	return piece->kind == SYNTAX_CALL && piece->function >= 0 &&
	       each_change(trees, trees->functions.items[piece->function].body, depth + 1, take,
			   context);
}

static bool forget(void *context, const struct syntax *variable, const struct syntax *by)
{
	binding_list *all = context;
	const struct binding *known = scope_find(all, variable->declaration);

	if (!known || known->value)
		scope_bind(all, variable->declaration, NULL, by->range.from);
	return false;
}

void scope_forget(binding_list *scope, const struct syntax_trees *trees, const struct syntax *piece)
{
	each_change(trees, piece, 0, forget, scope);
}

static bool is_one(void *context, const struct syntax *variable, const struct syntax *by)
{
	(void)by;
	return variable->declaration == *(const unsigned int *)context;
}

bool scope_changes(const struct syntax_trees *trees, const struct syntax *piece,
		   unsigned int declaration)
{
	return each_change(trees, piece, 0, is_one, &declaration);
}
