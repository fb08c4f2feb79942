/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * calls.c - going through the calls in a part of the source, and not through what only looks like
 * one.
 */
#include "calls.h"

#include <string.h>

#include "read/known.h"
#include "read/unit.h"

/* What can stand before a bracket without being called. */
static const char *const keywords[] = {
	"if",
	"while",
	"for",
	"switch",
	"return",
	"sizeof",
	"do",
	"else",
	"case",
	"typeof",
	"__typeof__",
	"__typeof",
	"_Alignof",
	"_Generic",
	"__attribute__",
	"__extension__",
	"__alignof__",
	"_Alignas",
	"__attribute",
	"_Static_assert",
};

#define COUNT(array) (sizeof(array) / sizeof *(array))

static bool is_one_of(const struct source *source, unsigned int at, const char *const *words,
		      size_t count)
{
	while (count--)
		if (token_is(source, &source->tokens.items[at], *words++))
			return true;
	return false;
}

/* Whether this file has `name(...) {`, whatever the C library makes of that name. */
static bool is_defined_here(const struct source *source, const struct token *name)
{
	struct part all = {0, (unsigned int)source->tokens.count};
	unsigned int at;

	for (at = 0; at + 1 < all.end; at = part_next(source, at))
		if (part_is(source, all, at + 1, "(") &&
		    part_is(source, all, part_next(source, at + 1), "{") &&
		    token_same(source, &source->tokens.items[at], name))
			return true;
	return false;
}

bool calls_only_computes(const struct source *source, unsigned int at)
{
	const struct token *token = &source->tokens.items[at];
	char name[64] = "";

	if (is_defined_here(source, token))
		return false;
	if (token->length < sizeof name)
		memcpy(name, source->text.data + token->offset, token->length);
	return known_function(name) == KNOWN_COMPUTES;
}

/* Whether the bracket before the one at AT holds a type, so that AT is no call. */
static bool is_cast(const struct source *source, struct part part, unsigned int at)
{
	static const char *const types[] = {"int",	"unsigned", "signed", "long", "short",
					    "char",	"float",    "double", "void", "const",
					    "_Complex", "struct",   "union",  "enum", "_Bool"};
	unsigned int open = source->tokens.items[at - 1].match;

	if (open == NO_MATCH || !part_is(source, part, open, "("))
		return false;
	if (open > part.first && source->tokens.items[open - 1].kind == TOKEN_NAME)
		return is_one_of(source, open - 1, keywords, COUNT(keywords));
	return is_one_of(source, open + 1, types, COUNT(types));
}

/* A name with a bracket after it. */
static bool is_good(struct unit *unit, struct part part, unsigned int at,
		    bool (*good)(void *context, unsigned int name), void *context)
{
	const struct source *source = &unit->source;
	const struct token *name = &source->tokens.items[at];

	if (is_one_of(source, at, keywords, COUNT(keywords)))
		return true;
	if (at > part.first &&
	    (part_is(source, part, at - 1, ".") || part_is(source, part, at - 1, "->")))
		return false;
	if (tree_lookup(unit, name->offset, name->length, name->offset, -1) != NO_VARIABLE)
		return false; /* a pointer to a function */
	return good(context, at);
}

bool calls_all(struct unit *unit, struct part part, bool (*good)(void *context, unsigned int name),
	       void *context)
{
	static const char *const assembly[] = {"asm", "__asm__", "__asm"};
	const struct source *source = &unit->source;
	unsigned int at;

	for (at = part.first; at < part.end; at++) {
		if (source->tokens.items[at].kind == TOKEN_NAME) {
			if (is_one_of(source, at, assembly, COUNT(assembly)))
				return false;
			if (part_is(source, part, at + 1, "(") &&
			    !is_good(unit, part, at, good, context))
				return false;
		} else if (at > part.first && part_is(source, part, at, "(") &&
			   (part_is(source, part, at - 1, ")") ||
			    part_is(source, part, at - 1, "]")) &&
			   !is_cast(source, part, at)) {
			return false;
		}
	}
	return true;
}
