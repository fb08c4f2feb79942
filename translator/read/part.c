/* SPDX-License-Identifier: GPL-2.0-or-later */
/* part.c - runs of tokens. */
#include "part.h"

bool part_is(const struct source *source, struct part part, unsigned int at, const char *word)
{
	return at < part.end && token_is(source, &source->tokens.items[at], word);
}

unsigned int part_next(const struct source *source, unsigned int at)
{
	unsigned int match = source->tokens.items[at].match;

	if (source->tokens.items[at].kind == TOKEN_DIRECTIVE)
		return at + 1;
	return match != NO_MATCH && match > at ? match + 1 : at + 1;
}

unsigned int part_find(const struct source *source, struct part part, unsigned int at,
		       const char *word)
{
	while (at < part.end && !part_is(source, part, at, word))
		at = part_next(source, at);
	return at < part.end ? at : part.end;
}

struct range part_text(const struct source *source, struct part part)
{
	if (part.first >= part.end)
		return (struct range){0, 0};
	return (struct range){source->tokens.items[part.first].offset,
			      token_end(&source->tokens.items[part.end - 1])};
}

struct part part_inside(const struct source *source, struct part part)
{
	while (part_is(source, part, part.first, "(") &&
	       source->tokens.items[part.first].match == part.end - 1) {
		part.first++;
		part.end--;
	}
	return part;
}

bool part_same(const struct source *source, struct part one, struct part other)
{
	unsigned int i, count = one.end - one.first;

	if (count != other.end - other.first)
		return false;
	for (i = 0; i < count; i++)
		if (!token_same(source, &source->tokens.items[one.first + i],
				&source->tokens.items[other.first + i]))
			return false;
	return true;
}
