/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * needless.c - barriers directly after, or before, another one: no thread does anything in between.
 */
#include "needless.h"

#include <string.h>

#include "read/directive_facts.h"
#include "read/source.h"
#include "read/unit.h"

/* Whether nothing but pragmas stands between two places of the text. */
static bool is_nothing_between(const struct unit *unit, unsigned int from, unsigned int to)
{
	const struct source *source = &unit->source;
	unsigned int token = source_token_at(source, from);

	while (token < source->tokens.count && source->tokens.items[token].kind == TOKEN_DIRECTIVE)
		token++;
	return token >= source->tokens.count || source->tokens.items[token].offset >= to;
}

/* Whether the pragma before that of DIRECTIVE is at OFFSET, and governs no statement. */
static bool is_after_alone(const struct unit *unit, const struct directive *directive,
			   unsigned int offset)
{
	return directive > unit->directives.list.items && directive[-1].offset == offset &&
	       !directive_is(directive[-1].kind, HAS_BODY);
}

/* Whether it stands in a block, and is not what an if or a loop runs. */
static bool stands_in_block(const struct unit *unit, const struct directive *directive)
{
	const struct source *source = &unit->source;
	unsigned int token = source_token_at(source, directive->offset);
	unsigned int before = token ? source->tokens.items[token - 1].offset : 0;

	return token && (strchr("{};", source->text.data[before]) ||
			 is_after_alone(unit, directive, before));
}

/* Where the construct ends. */
static unsigned int end_of(const struct directive *directive)
{
	return directive->kind == DIRECTIVE_BARRIER ? directive->end : directive->body.to;
}

/* Whether all threads come from the end of FIRST, in a block, to OFFSET, and to no other place. */
static bool leads_to(const struct unit *unit, const struct directive *first, unsigned int offset)
{
	return stands_in_block(unit, first) && is_nothing_between(unit, end_of(first), offset);
}

/* The construct before that of INDEX in what is around both, or NULL. */
static const struct directive *construct_before(const struct unit *unit, size_t index)
{
	const struct directive *directives = unit->directives.list.items;
	const struct directive *found = NULL;

	for (size_t i = index; i-- > 0 && !found && (int)i != directives[index].parent;)
		if (directives[i].parent == directives[index].parent)
			found = &directives[i];
	return found && found->function == directives[index].function ? found : NULL;
}

/* Barriers directly before which a construct ends with one. */
static void find_after(struct unit *unit)
{
	for (size_t i = unit->directives.list.count; i-- > 0;) {
		struct directive *barrier = &unit->directives.list.items[i];
		const struct directive *before =
			barrier->kind == DIRECTIVE_BARRIER ? construct_before(unit, i) : NULL;

		if (before && directive_ends_with_barrier(before) &&
		    leads_to(unit, before, barrier->offset))
			barrier->kind = DIRECTIVE_IGNORED;
	}
}

/* Whether the end of a block in RANGE may call a function for a variable. */
static bool cleans_up(const struct source *source, struct range range)
{
	unsigned int token = source_token_at(source, range.from);

	for (; token < source->tokens.count && source->tokens.items[token].offset < range.to;
	     token++)
		if (token_is_cleanup(source, &source->tokens.items[token]))
			return true;
	return false;
}

/* Whether the block of REGION, which may be another statement, ends directly after DIRECTIVE. */
static bool ends_block(const struct unit *unit, const struct directive *directive,
		       const struct directive *region)
{
	return directive_is(region->kind, IS_PARALLEL) &&
	       unit->source.text.data[region->body.from] == '{' &&
	       leads_to(unit, directive, region->body.to - 1) &&
	       !cleans_up(&unit->source, region->body);
}

/* Barriers and loops directly after which their region ends. */
static void find_before_ends(struct unit *unit)
{
	struct directive *directives = unit->directives.list.items;

	for (size_t i = 0; i < unit->directives.list.count; i++) {
		struct directive *directive = &directives[i];
		const struct directive *region = directive_parent(&unit->directives, directive);

		if ((directive->kind != DIRECTIVE_FOR && directive->kind != DIRECTIVE_BARRIER) ||
		    !region || !ends_block(unit, directive, region))
			continue;
		directive->last = directive->kind == DIRECTIVE_FOR;
		if (!directive->last)
			directive->kind = DIRECTIVE_IGNORED;
	}
}

void needless_find(struct unit *unit)
{
	find_after(unit);
	find_before_ends(unit);
}
