/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * anywhere.c - which blocks of single constructs any node may run.
 *
 * What one node opens inside a region no other node can use, so a single construct that may open
 * something is node 0's, and so are clocks.  A block may run anywhere if it only calls functions of
 * this file that may, and of the C library those that compute or use the standard streams: these
 * are the same from every node.
 */
#include "anywhere.h"

#include <string.h>

#include "calls.h"
#include "read/part.h"
#include "read/unit.h"

enum state {
	STATE_UNKNOWN,
	STATE_BUSY, /* being looked at: a recursive call adds nothing */
	STATE_ANYWHERE,
	STATE_NODE_0,
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

/* What computes, prints to memory, or uses a standard stream that it does not name. */
static const char *const library[] = {
	"memcpy",    "memmove", "memset",	 "memcmp",	   "strlen",   "strcmp",
	"strncmp",   "strcpy",	"strncpy",	 "strcat",	   "strncat",  "strchr",
	"strrchr",   "strstr",	"malloc",	 "calloc",	   "realloc",  "free",
	"frexp",     "frexpf",	"frexpl",	 "modf",	   "modff",    "modfl",
	"isalpha",   "isdigit", "isspace",	 "toupper",	   "tolower",  "div",
	"ldiv",	     "sprintf", "aligned_alloc", "posix_memalign", "snprintf", "vsprintf",
	"vsnprintf", "sscanf",	"printf",	 "vprintf",	   "puts",     "putchar",
	"perror",    "scanf",	"getchar",
};

/* What may run anywhere if the stream, its first or its last argument, is a standard one. */
static const char *const first_argument[] = {"fprintf", "vfprintf", "fflush", "fscanf"};
static const char *const last_argument[] = {"fputs", "fputc", "putc", "fwrite",
					    "fgets", "fgetc", "getc", "fread"};

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const struct token *token_of(const struct search *search, unsigned int at)
{
	return &search->unit->source.tokens.items[at];
}

static bool is(const struct search *search, struct part part, unsigned int at, const char *word)
{
	return part_is(&search->unit->source, part, at, word);
}

static bool is_one_of(const struct search *search, unsigned int at, const char *const *words,
		      size_t count)
{
	while (count--)
		if (token_is(&search->unit->source, token_of(search, at), *words++))
			return true;
	return false;
}

static bool is_standard_stream(const struct search *search, unsigned int at)
{
	static const char *const streams[] = {"stdin", "stdout", "stderr"};

	return is_one_of(search, at, streams, COUNT(streams));
}

/* The call of AT, which has its bracket after it. */
static bool is_library(const struct search *search, unsigned int at)
{
	unsigned int end = token_of(search, at + 1)->match;
	struct part arguments = {at + 2, end};

	if (is_one_of(search, at, library, COUNT(library)))
		return true;
	if (end == NO_MATCH)
		return false;
	if (is_one_of(search, at, first_argument, COUNT(first_argument)))
		return is_standard_stream(search, at + 2) &&
		       (at + 3 == end || is(search, arguments, at + 3, ","));
	if (is_one_of(search, at, last_argument, COUNT(last_argument)))
		return is_standard_stream(search, end - 1) && is(search, arguments, end - 2, ",");
	return calls_only_computes(&search->unit->source, at);
}

/* Every `name(...) {` outside of brackets, but for those of the C library. */
static void find_definitions(struct search *search)
{
	const struct source *source = &search->unit->source;
	struct part all = {0, (unsigned int)source->tokens.count};
	unsigned int at, after;

	for (at = 0; at + 1 < all.end; at = part_next(source, at)) {
		struct definition *definition;

		if (token_of(search, at)->kind != TOKEN_NAME || !is(search, all, at + 1, "(") ||
		    source_line_at(source, token_of(search, at)->offset)->system)
			continue;
		after = part_next(source, at + 1);
		if (!is(search, all, after, "{"))
			continue;
		definition = list_add(&search->definitions);
		definition->name = at;
		definition->body = (struct part){after, part_next(source, after)};
		definition->state = STATE_UNKNOWN;
	}
}

static bool may_run_anywhere(struct search *search, struct part part);

static struct definition *find_definition(const struct search *search, unsigned int name)
{
	size_t i;

	for (i = 0; i < search->definitions.count; i++)
		if (token_same(&search->unit->source, token_of(search, name),
			       token_of(search, search->definitions.items[i].name)))
			return &search->definitions.items[i];
	return NULL;
}

static bool is_good_call(void *context, unsigned int name)
{
	struct search *search = context;
	struct definition *definition = find_definition(search, name);

	if (!definition)
		return is_library(search, name);
	if (definition->state == STATE_UNKNOWN) {
		definition->state = STATE_BUSY;
		definition->state =
			may_run_anywhere(search, definition->body) ? STATE_ANYWHERE : STATE_NODE_0;
	}
	return definition->state != STATE_NODE_0;
}

static bool may_run_anywhere(struct search *search, struct part part)
{
	return calls_all(search->unit, part, is_good_call, search);
}

void anywhere_find(struct unit *unit)
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
		directive->any_node = may_run_anywhere(&search, body);
	}
	list_free(&search.definitions);
}
