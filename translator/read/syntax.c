/* SPDX-License-Identifier: GPL-2.0-or-later */
/* syntax.c - the memory of trees. */
#include "syntax.h"

#include <string.h>

static void *own(struct syntax_trees *trees, size_t size)
{
	void *memory = memory_new(size);

	*list_add(&trees->memory) = memory;
	return memory;
}

struct syntax *syntax_new(struct syntax_trees *trees, enum syntax_kind kind, struct range range,
			  unsigned int count)
{
	struct syntax *syntax = own(trees, sizeof *syntax);

	syntax->kind = kind;
	syntax->range = range;
	syntax->type.kind = TYPE_OTHER;
	syntax->declaration = NO_DECLARATION;
	syntax->function = -1;
	syntax->count = count;
	syntax->parts = own(trees, count * sizeof *syntax->parts);
	return syntax;
}

struct syntax *syntax_copy(struct syntax_trees *trees, const struct syntax *from)
{
	struct syntax *copy = syntax_new(trees, from->kind, from->range, from->count);
	struct syntax **parts = copy->parts;

	*copy = *from;
	copy->parts = parts;
	memcpy(parts, from->parts, from->count * sizeof *parts);
	return copy;
}

const char *syntax_word(struct syntax_trees *trees, const char *text, size_t length)
{
	return memcpy(own(trees, length + 1), text, length);
}

const char *syntax_decayed(struct syntax_trees *trees, const char *name)
{
	const char *open = strchr(name, '['), *close = open ? strchr(open, ']') : NULL, *word;
	struct text text = {0};

	if (!close)
		return name;
	text_print(&text, "%.*s%s%s", (int)(open - name), name, close[1] ? " (*)" : " *",
		   close + 1);
	word = syntax_word(trees, text.data, text.length);
	text_free(&text);
	return word;
}

void syntax_free(struct syntax_trees *trees)
{
	size_t i;

	for (i = 0; i < trees->memory.count; i++)
		memory_free(trees->memory.items[i]);
	list_free(&trees->memory);
	for (i = 0; i < trees->functions.count; i++)
		list_free(&trees->functions.items[i].parameters);
	list_free(&trees->functions);
}

bool syntax_is_object(const struct syntax *syntax)
{
	return syntax->kind == SYNTAX_VARIABLE || syntax->kind == SYNTAX_ELEMENT ||
	       syntax->kind == SYNTAX_MEMBER || syntax->kind == SYNTAX_TARGET ||
	       syntax->kind == SYNTAX_BYTES;
}
