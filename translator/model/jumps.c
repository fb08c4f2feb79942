/* SPDX-License-Identifier: GPL-2.0-or-later */
/* jumps.c - code to which control comes otherwise than the blocks and calls of the text show. */
#include "jumps.h"

#include <string.h>

#include "read/unit.h"

/* A jump, or a statement of another kind; not in the functions that are called. */
static bool has_jump(const struct syntax *piece)
{
	if (!piece)
		return false;
	if (piece->kind == SYNTAX_STRANGE ||
	    (piece->kind == SYNTAX_LEAVE && !strcmp(piece->word, "goto")))
		return true;
	for (unsigned int i = 0; i < piece->count; i++)
		if (has_jump(piece->parts[i]))
			return true;
	return false;
}

/* IN_LOOP: PIECE is inside another loop than the one in question. */
static bool has_leave(const struct syntax *piece, const char *word, bool in_loop)
{
	bool of_loop = !strcmp(word, "break") || !strcmp(word, "continue");

	if (!piece)
		return false;
	if (piece->kind == SYNTAX_LEAVE)
		return !strcmp(piece->word, word) && (!in_loop || !of_loop);
	in_loop |= piece->kind == SYNTAX_FOR || piece->kind == SYNTAX_LOOP;
	for (unsigned int i = 0; i < piece->count; i++)
		if (has_leave(piece->parts[i], word, in_loop))
			return true;
	return false;
}

bool jumps_leave(const struct syntax *body, const char *word)
{
	return has_leave(body, word, false);
}

static bool has_word(const struct unit *unit, struct range range, const char *const *words)
{
	const struct source *source = &unit->source;

	for (unsigned int at = source_token_at(source, range.from);
	     at < source->tokens.count && source->tokens.items[at].offset < range.to; at++)
		for (size_t i = 0; words[i]; i++)
			if (token_is(source, &source->tokens.items[at], words[i]))
				return true;
	return false;
}

bool jumps_none(const struct unit *unit, const struct syntax *body)
{
	static const char *const words[] = {"cleanup", "__cleanup__", "goto", "__label__", NULL};

	return !has_jump(body) && !has_word(unit, body->range, words);
}

bool jumps_hidden_calls(const struct unit *unit)
{
	static const char *const words[] = {"constructor", "__constructor__",
					    "destructor",  "__destructor__",
					    "alias",	   "__alias__",
					    "ifunc",	   "__ifunc__",
					    "asm",	   NULL};

	return has_word(unit, (struct range){0, (unsigned int)unit->source.text.length}, words);
}
