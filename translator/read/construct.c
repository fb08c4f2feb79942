/* SPDX-License-Identifier: GPL-2.0-or-later */
/* construct.c - the places of a construct's calls. */
#include "construct.h"

#include "unit.h"

unsigned int construct_near(const struct unit *unit, const struct directive *directive)
{
	unsigned int token = source_token_at(&unit->source, directive->end);

	return token < unit->source.tokens.count ? unit->source.tokens.items[token].offset
						 : directive->offset;
}

void construct_open(struct unit *unit, const struct directive *directive, char *text)
{
	edit_replace(&unit->source, directive->offset, directive->end,
		     construct_near(unit, directive), text);
}

void construct_close(struct unit *unit, const struct directive *directive, char *text)
{
	edit_after(&unit->source, directive->offset, construct_near(unit, directive),
		   (struct range){directive->body.to, directive->body.to}, text);
}

void construct_remove(struct unit *unit, const struct directive *directive)
{
	edit_replace(&unit->source, directive->offset, directive->end, directive->offset,
		     format_text(" "));
}
