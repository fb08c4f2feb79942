/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rewrite_function.c - what a function with constructs must not be or say. */
#include "rewrite_function.h"

#include "read/unit.h"

static bool is_one_of(const struct source *source, unsigned int at, const char *const *words)
{
	for (; *words; words++)
		if (token_is(source, &source->tokens.items[at], *words))
			return true;
	return false;
}

/*
 * Takes out of the declaration [FIRST, END) what asks the compiler to inline; returns whether there
 * was anything.  An external function is weak then: every file that includes it has one.
 */
static bool remove_inline(struct source *source, bool is_static, unsigned int first,
			  unsigned int end)
{
	static const char *const specifiers[] = {"inline", "__inline", "__inline__", NULL};
	static const char *const attributes[] = {"always_inline", "__always_inline__", "gnu_inline",
						 "__gnu_inline__", NULL};
	bool removed = false;
	unsigned int at;

	for (at = first; at < end; at++) {
		const struct token *token = &source->tokens.items[at];
		bool specifier = is_one_of(source, at, specifiers);
		unsigned int from = token->offset;

		if (!specifier && !is_one_of(source, at, attributes))
			continue;
		if (!specifier && at > first + 3 && token_is(source, token - 1, ":"))
			from = token[-3].offset; /* [[gnu::always_inline]] */
		edit_replace(source, from, token_end(token), from,
			     format_text(specifier && !is_static ? "__attribute__((weak)) " : " "));
		removed = true;
	}
	return removed;
}

/* The same in the declarations of the function that stand before it. */
static void remove_inline_before(struct source *source, const struct function *function)
{
	unsigned int name = source_token_at(source, function->name), first = 0, at = 0;
	bool declares = false;

	while (at < source->tokens.count && source->tokens.items[at].offset < function->begin) {
		const struct token *token = &source->tokens.items[at];
		bool body = token_is(source, token, "{") && token->match != NO_MATCH;

		declares |= token_same(source, token, &source->tokens.items[name]) &&
			    token_is(source, token + 1, "(");
		if (body || token_is(source, token, ";")) {
			if (declares && !body)
				remove_inline(source, function->is_static, first, at);
			declares = false;
			first = at + 1;
		}
		if (body) { /* a struct's declaration goes on */
			at = token->match;
			first = at + 1;
		}
		at++;
	}
}

/* The run time takes the frames of a region's callers as a whole: it needs a frame of its own. */
void rewrite_function(struct unit *unit, const struct function *function)
{
	struct source *source = &unit->source;
	bool removed =
		remove_inline(source, function->is_static, source_token_at(source, function->begin),
			      source_token_at(source, function->body.from));

	remove_inline_before(source, function);
	edit_before(
		source, function->begin, function->begin,
		format_text("__attribute__((noinline, noclone%s)) ", removed ? ", unused" : ""));
}

/* The address of a variable of storage class register could not be taken. */
static void remove_register(struct unit *unit, const struct function *function)
{
	struct source *source = &unit->source;
	unsigned int i, at, last = 0;

	for (i = function->first_variable; i < function->end_variable; i++) {
		const struct variable *variable = &unit->tree.variables.items[i];

		if (!variable->is_register)
			continue;
		at = source_token_at(source, variable->offset);
		while (at > 0 && !token_is(source, &source->tokens.items[at], "register"))
			at--;
		if (at && source->tokens.items[at].offset > last) {
			last = source->tokens.items[at].offset;
			edit_replace(source, last, token_end(&source->tokens.items[at]), last,
				     format_text(" "));
		}
	}
}

/*
 * A restrict pointer promises that nobody else changes what it points to; at a sync point the
 * other nodes' changes come in, and a compiler may believe the promise across the call.
 */
static void remove_restrict(struct unit *unit, const struct function *function)
{
	struct source *source = &unit->source;
	unsigned int at = source_token_at(source, function->begin);

	for (; at < source->tokens.count; at++) {
		const struct token *token = &source->tokens.items[at];

		if (token->offset >= function->body.to)
			break;
		if (token->kind == TOKEN_NAME &&
		    (token_is(source, token, "restrict") || token_is(source, token, "__restrict") ||
		     token_is(source, token, "__restrict__")))
			edit_replace(source, token->offset, token_end(token), token->offset,
				     format_text(" "));
	}
}

void rewrite_variables(struct unit *unit, const struct function *function)
{
	remove_register(unit, function);
	remove_restrict(unit, function);
}
