/* SPDX-License-Identifier: GPL-2.0-or-later */
/* followed.c - what threads do between two sync points, as far as it can be described. */
#include "followed.h"

#include <string.h>

#include "read/directive_facts.h"
#include "read/unit.h"

/* -- directives -------------------------------------------------------------------------------- */

/* At whose end there is no sync point. */
static bool is_simple_loop(const struct directive *directive)
{
	for (size_t i = 0; i < directive->clauses.count; i++) {
		const struct clause *clause = &directive->clauses.items[i];

		switch (clause->kind) {
		case CLAUSE_NOWAIT:
		case CLAUSE_PRIVATE:
			break;
		case CLAUSE_SCHEDULE:
			if (!directive_deals_blocks(directive))
				return false;
			break;
		default:
			return false;
		}
	}
	return directive->loop_count == 1 && directive_clause(directive, CLAUSE_NOWAIT);
}

/* Updates are added to what others have, in an order of their own. */
static bool is_plain_atomic(const struct directive *directive)
{
	const struct clause *access = directive_clause(directive, CLAUSE_ACCESS);

	return access && (!strcmp(access->name, "read") || !strcmp(access->name, "write"));
}

bool followed_is(const struct directive *directive)
{
	switch (directive->kind) {
	case DIRECTIVE_FLUSH:
	case DIRECTIVE_BARRIER:
	case DIRECTIVE_CRITICAL:
		return true;
	case DIRECTIVE_ATOMIC:
		return is_plain_atomic(directive);
	case DIRECTIVE_FOR:
		return is_simple_loop(directive);
	default:
		return false;
	}
}

/* Of several right before PIECE the first one. */
const struct directive *followed_governing(const struct unit *unit, const struct syntax *piece)
{
	const struct directive *first = NULL;

	for (size_t i = directives_from(&unit->directives, piece->range.from); i > 0; i--) {
		const struct directive *directive = &unit->directives.list.items[i - 1];

		if (directive->body.from != piece->range.from ||
		    directive->body.to <= piece->range.from)
			break;
		first = directive;
	}
	return first;
}

const struct directive *followed_sharing(const struct unit *unit, const struct syntax *loop)
{
	const struct directive *directive = followed_governing(unit, loop);

	return directive && directive->kind == DIRECTIVE_FOR ? directive : NULL;
}

bool followed_is_atomic(const struct unit *unit, const struct syntax *statement)
{
	const struct directive *directive = followed_governing(unit, statement);

	return directive && directive->kind == DIRECTIVE_ATOMIC;
}

static struct syntax *new_number(struct syntax_trees *trees, const struct syntax *call,
				 unsigned int which)
{
	struct syntax *number = syntax_new(trees, SYNTAX_ITERATOR, call->range, 0);

	number->type = (struct type){.kind = TYPE_INTEGER, .name = "int"};
	number->iterator = which;
	return number;
}

struct syntax *followed_number(struct syntax_trees *trees, const struct syntax *call)
{
	if (call->function >= 0 || !call->word || call->count)
		return NULL;
	if (!strcmp(call->word, "omp_get_thread_num"))
		return new_number(trees, call, FOLLOWED_THREAD);
	if (!strcmp(call->word, "omp_get_num_threads"))
		return new_number(trees, call, FOLLOWED_THREADS);
	return NULL;
}

const struct directive *followed_loop_around(const struct unit *unit, unsigned int offset)
{
	struct syntax *path[SYNTAX_DEPTH];
	unsigned int depth = syntax_path(&unit->syntax, offset, path, SYNTAX_DEPTH);

	while (depth > 0 && path[depth - 1]->kind != SYNTAX_FOR &&
	       path[depth - 1]->kind != SYNTAX_LOOP)
		depth--;
	return depth ? followed_governing(unit, path[depth - 1]) : NULL;
}

bool followed_is_step(const struct unit *unit, const struct directive *flush)
{
	const struct directive *directive = followed_loop_around(unit, flush->offset);

	return directive && directive->kind == DIRECTIVE_FOR;
}
