/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rewrite_function.c - what a function with constructs must not be or say. */
#include "rewrite_function.h"

#include "read/report.h"
#include "read/unit.h"

/* The run time takes the frames of a region's callers as a whole: it needs a frame of its own. */
void rewrite_function(struct unit *unit, const struct function *function)
{
	struct source *source = &unit->source;
	unsigned int at = source_token_at(source, function->begin);
	bool removed = false;

	for (; at < source->tokens.count; at++) {
		const struct token *token = &source->tokens.items[at];

		if (token->offset >= function->body.from)
			break;
		if (token_is(source, token, "always_inline") ||
		    token_is(source, token, "__always_inline__"))
			report_error(
				unit, token->offset,
				"a function with a parallel construct cannot be inlined; remove "
				"always_inline");
		if (function->is_static && token->offset < function->name &&
		    (token_is(source, token, "inline") || token_is(source, token, "__inline") ||
		     token_is(source, token, "__inline__"))) {
			edit_replace(source, token->offset, token_end(token), token->offset,
				     format_text(" "));
			removed = true;
		}
	}
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
