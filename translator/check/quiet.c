/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * quiet.c - which blocks do no input or output.
 *
 * The standard streams are the master's.  A block is quiet if it only calls functions of this file
 * that are quiet, and of the C library those that compute.
 */
#include "quiet.h"

#include <string.h>

#include "calls.h"
#include "read/part.h"
#include "read/unit.h"

enum state {
	STATE_UNKNOWN,
	STATE_BUSY, /* being looked at: a recursive call adds nothing */
	STATE_QUIET,
	STATE_LOUD,
};

/* A function defined in this file. */
struct definition {
	unsigned int name; /* token */
	struct part body;
	enum state state;
};

struct search {
	struct unit *unit;
	LIST(struct definition) definitions;
};

static const char *const library[] = {
	"memcpy",  "memmove", "memset",	 "memcmp",	  "strlen",	    "strcmp",  "strncmp",
	"strcpy",  "strncpy", "strcat",	 "strncat",	  "strchr",	    "strrchr", "strstr",
	"malloc",  "calloc",  "realloc", "free",	  "frexp",	    "frexpf",  "frexpl",
	"modf",	   "modff",   "modfl",	 "isalpha",	  "isdigit",	    "isspace", "toupper",
	"tolower", "div",     "ldiv",	 "aligned_alloc", "posix_memalign",
};

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const struct token *token_of(const struct search *search, unsigned int at)
{
	return &search->unit->source.tokens.items[at];
}

static bool is(const struct search *search, struct part part, unsigned int at, const char *word)
{
	return part_is(&search->unit->source, part, at, word);
}

static bool is_library(const struct search *search, unsigned int at)
{
	size_t i;

	for (i = 0; i < COUNT(library); i++)
		if (token_is(&search->unit->source, token_of(search, at), library[i]))
			return true;
	return calls_only_computes(&search->unit->source, at);
}

/* Every `name(...) {` outside of brackets. */
static void find_definitions(struct search *search)
{
	const struct source *source = &search->unit->source;
	struct part all = {0, (unsigned int)source->tokens.count};
	unsigned int at, behind;

	for (at = 0; at + 1 < all.end; at = part_next(source, at)) {
		struct definition *definition;

		if (token_of(search, at)->kind != TOKEN_NAME || !is(search, all, at + 1, "("))
			continue;
		behind = part_next(source, at + 1);
		if (!is(search, all, behind, "{"))
			continue;
		definition = list_add(&search->definitions);
		definition->name = at;
		definition->body = (struct part){behind, part_next(source, behind)};
		definition->state = STATE_UNKNOWN;
	}
}

static bool is_quiet(struct search *search, struct part part);

static bool is_quiet_function(struct search *search, unsigned int name)
{
	size_t i;

	for (i = 0; i < search->definitions.count; i++) {
		struct definition *definition = &search->definitions.items[i];

		if (!token_same(&search->unit->source, token_of(search, name),
				token_of(search, definition->name)))
			continue;
		if (definition->state == STATE_UNKNOWN) {
			definition->state = STATE_BUSY;
			definition->state =
				is_quiet(search, definition->body) ? STATE_QUIET : STATE_LOUD;
		}
		return definition->state != STATE_LOUD;
	}
	return false;
}

static bool is_quiet_call(void *context, unsigned int name)
{
	struct search *search = context;

	return is_library(search, name) || is_quiet_function(search, name);
}

static bool is_quiet(struct search *search, struct part part)
{
	return calls_all(search->unit, part, is_quiet_call, search);
}

void quiet_find(struct unit *unit)
{
	struct search search = {.unit = unit};
	const struct source *source = &unit->source;
	size_t i;

	for (i = 0; i < unit->directives.list.count; i++) {
		struct directive *directive = &unit->directives.list.items[i];
		struct part body;

		if (directive->kind != DIRECTIVE_SINGLE)
			continue;
		if (!search.definitions.count)
			find_definitions(&search);
		body.first = source_token_at(source, directive->body.from);
		body.end = source_token_at(source, directive->body.to);
		directive->any_node = is_quiet(&search, body);
	}
	list_free(&search.definitions);
}
