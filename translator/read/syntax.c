/* SPDX-License-Identifier: GPL-2.0-or-later */
/* syntax.c - the memory of trees, and ways through them. */
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

struct syntax *syntax_statement(struct syntax *piece)
{
	return piece && piece->kind == SYNTAX_BLOCK && piece->count == 1 ? piece->parts[0] : piece;
}

bool syntax_has(const struct syntax *piece, enum syntax_kind one, enum syntax_kind other)
{
	bool has = piece && (piece->kind == one || piece->kind == other);

	for (unsigned int i = 0; piece && i < piece->count && !has; i++)
		has = syntax_has(piece->parts[i], one, other);
	return has;
}

bool syntax_contains(const struct syntax *piece, unsigned int offset)
{
	return piece && offset >= piece->range.from && offset < piece->range.to;
}

static struct syntax *part_with(const struct syntax *piece, unsigned int offset)
{
	for (unsigned int i = 0; i < piece->count; i++)
		if (syntax_contains(piece->parts[i], offset))
			return piece->parts[i];
	return NULL;
}

int syntax_function_at(const struct syntax_trees *trees, unsigned int offset)
{
	for (size_t i = 0; i < trees->functions.count; i++)
		if (syntax_contains(trees->functions.items[i].body, offset))
			return (int)i;
	return -1;
}

unsigned int syntax_path(const struct syntax_trees *trees, unsigned int offset,
			 struct syntax **path, unsigned int limit)
{
	int function = syntax_function_at(trees, offset);
	struct syntax *piece = function < 0 ? NULL : trees->functions.items[function].body;
	unsigned int count = 0;

	for (; piece && count < limit; piece = part_with(piece, offset))
		path[count++] = piece;
	return piece ? 0 : count;
}

struct syntax *syntax_first_from(const struct syntax_trees *trees, unsigned int offset)
{
	struct syntax *path[SYNTAX_DEPTH];
	unsigned int depth = syntax_path(trees, offset, path, SYNTAX_DEPTH);

	for (unsigned int i = 0; i < depth; i++)
		if (path[i]->range.from >= offset)
			return path[i];
	return NULL;
}

struct each {
	const struct syntax_trees *trees;
	syntax_visit *visit;
	void *context;
	bool *seen; /* by function */
};

static bool each_in(const struct each *each, const struct syntax *piece)
{
	if (!piece)
		return false;
	if (each->visit(each->context, piece))
		return true;
	for (unsigned int i = 0; i < piece->count; i++)
		if (each_in(each, piece->parts[i]))
			return true;
	if (piece->kind != SYNTAX_CALL || piece->function < 0 || each->seen[piece->function])
		return false;
	each->seen[piece->function] = true;
	return each_in(each, each->trees->functions.items[piece->function].body);
}

bool syntax_each(const struct syntax_trees *trees, const struct syntax *piece, syntax_visit *visit,
		 void *context)
{
	struct each each = {trees, visit, context,
			    memory_new((trees->functions.count + 1) * sizeof(bool))};
	bool result = each_in(&each, piece);

	memory_free(each.seen);
	return result;
}

unsigned int type_width(const struct type *type)
{
	const char *name = type->name ? type->name : "";

	if (type->kind == TYPE_POINTER || type->kind == TYPE_ARRAY || strstr(name, "long") ||
	    strstr(name, "int128"))
		return 8;
	if (strstr(name, "char") || strstr(name, "_Bool"))
		return 1;
	return strstr(name, "short") ? 2 : 4;
}

bool type_is_unsigned(const struct type *type)
{
	return type->kind == TYPE_INTEGER && type->name &&
	       (strstr(type->name, "unsigned") || strstr(type->name, "_Bool"));
}
