/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * quiet.c - which blocks do no input or output.
 *
 * The standard streams are the master's.  A block is quiet if it only calls functions of this file
 * that are quiet, and of the C library those that compute.
 */
#include "quiet.h"

#include <string.h>

#include "part.h"
#include "unit.h"

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
	"memcpy",
	"memmove",
	"memset",
	"memcmp",
	"strlen",
	"strcmp",
	"strncmp",
	"strcpy",
	"strncpy",
	"strcat",
	"strncat",
	"strchr",
	"strrchr",
	"strstr",
	"malloc",
	"calloc",
	"realloc",
	"free",
	"abs",
	"labs",
	"llabs",
	"isalpha",
	"isdigit",
	"isspace",
	"toupper",
	"tolower",
	"div",
	"ldiv",
	"aligned_alloc",
	"posix_memalign",
	"__builtin_expect",
};

/* math.h; each also with f and l at its end. */
static const char *const mathematics[] = {
	"acos",	 "acosh",    "asin",	  "asinh",     "atan",	 "atan2",  "atanh",  "cbrt",
	"ceil",	 "copysign", "cos",	  "cosh",      "erf",	 "erfc",   "exp",    "exp2",
	"expm1", "fabs",     "fdim",	  "floor",     "fma",	 "fmax",   "fmin",   "fmod",
	"frexp", "hypot",    "ldexp",	  "log",       "log10",	 "log1p",  "log2",   "lround",
	"lrint", "modf",     "pow",	  "rint",      "round",	 "sin",	   "sinh",   "sqrt",
	"tan",	 "tanh",     "trunc",	  "cabs",      "cexp",	 "csqrt",  "creal",  "cimag",
	"conj",	 "carg",     "nearbyint", "remainder", "tgamma", "lgamma", "scalbn", "ilogb",
};

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

static bool is_library(const struct search *search, unsigned int at)
{
	struct source *source = &search->unit->source;
	struct token name = *token_of(search, at);
	const char *text = source->text.data + name.offset;
	size_t i;

	if (is_one_of(search, at, library, COUNT(library)))
		return true;
	if (name.length > 8 && !memcmp(text, "omp_get_", 8))
		return strncmp(text + 8, "wt", 2) != 0; /* clocks differ */
	if (name.length > 10 && !memcmp(text, "__builtin_", 10)) {
		name.offset += 10;
		name.length -= 10;
		text += 10;
	}
	for (i = 0; i < COUNT(mathematics); i++) {
		unsigned int length = (unsigned int)strlen(mathematics[i]);

		if (name.length >= length && !memcmp(text, mathematics[i], length) &&
		    (name.length == length ||
		     (name.length == length + 1 && strchr("fl", text[length]))))
			return true;
	}
	return false;
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

/* A name with a bracket behind it. */
static bool is_quiet_call(struct search *search, struct part part, unsigned int at)
{
	const struct token *name = token_of(search, at);

	if (is_one_of(search, at, keywords, COUNT(keywords)))
		return true;
	if (at > part.first && (is(search, part, at - 1, ".") || is(search, part, at - 1, "->")))
		return false;
	if (tree_lookup(search->unit, name->offset, name->length, name->offset, -1) != NO_VARIABLE)
		return false; /* a pointer to a function */
	return is_library(search, at) || is_quiet_function(search, at);
}

/* Whether the bracket before the one at AT holds a type, so that AT is no call. */
static bool is_cast(const struct search *search, struct part part, unsigned int at)
{
	static const char *const types[] = {"int",	"unsigned", "signed", "long", "short",
					    "char",	"float",    "double", "void", "const",
					    "_Complex", "struct",   "union",  "enum", "_Bool"};
	unsigned int open = token_of(search, at - 1)->match;

	if (open == NO_MATCH || !is(search, part, open, "("))
		return false;
	if (open > part.first && token_of(search, open - 1)->kind == TOKEN_NAME)
		return is_one_of(search, open - 1, keywords, COUNT(keywords));
	return is_one_of(search, open + 1, types, COUNT(types));
}

static bool is_quiet(struct search *search, struct part part)
{
	static const char *const assembly[] = {"asm", "__asm__", "__asm"};
	unsigned int at;

	for (at = part.first; at < part.end; at++) {
		const struct token *token = token_of(search, at);

		if (token->kind == TOKEN_NAME) {
			if (is_one_of(search, at, assembly, COUNT(assembly)))
				return false;
			if (is(search, part, at + 1, "(") && !is_quiet_call(search, part, at))
				return false;
		} else if (at > part.first && is(search, part, at, "(") &&
			   (is(search, part, at - 1, ")") || is(search, part, at - 1, "]")) &&
			   !is_cast(search, part, at)) {
			return false;
		}
	}
	return true;
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
