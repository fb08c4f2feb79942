/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sizes.c - what types of variable size depend on, as double (*)[n] on n. */
#include "sizes.h"

#include <string.h>

#include "read/unit.h"
#include "scope.h"

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789"

/* Whether PIECE changes the variable after its declaration. */
static bool changes(void *variable, const struct syntax *piece)
{
	const struct syntax *changed =
		piece->kind == SYNTAX_DECLARATION ? NULL : scope_changed_by(piece);

	return changed && changed->declaration == *(const unsigned int *)variable;
}

/* Where its sizes begin, or NULL. */
static const char *brackets_of(const struct type *type)
{
	return type->name ? strchr(type->name, '[') : NULL;
}

const struct variable *sizes_next(const struct unit *unit, const struct directive *directive,
				  const struct type *type, size_t *place)
{
	const char *text = brackets_of(type);
	size_t count = unit->tree.variables.count, at = 0;

	/* Of each name all variables: PLACE counts both. */
	for (size_t name = 0; text && text[at]; name++) {
		size_t length = strspn(text + at, LETTERS);

		for (size_t i = 0; i < count && length; i++) {
			const struct variable *variable = &unit->tree.variables.items[i];

			if (name * count + i >= *place && variable->length == length &&
			    (variable->function < 0 || variable->function == directive->function) &&
			    !memcmp(unit->source.text.data + variable->offset, text + at, length)) {
				*place = name * count + i + 1;
				return variable;
			}
		}
		at += length + !length;
	}
	return NULL;
}

bool sizes_stand(const struct unit *unit, const struct directive *directive,
		 const struct type *type)
{
	int function = syntax_function_at(&unit->syntax, directive->body.from);
	const char *text = brackets_of(type);
	const struct variable *variable;
	size_t place = 0;

	if (!text || strchr(text, '(') || function < 0)
		return false;
	while ((variable = sizes_next(unit, directive, type, &place))) {
		unsigned int declaration = variable->offset;

		if (syntax_each(&unit->syntax, unit->syntax.functions.items[function].body, changes,
				&declaration))
			return false;
	}
	return true;
}
