/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * untouched.c - after which parallel constructs sequential code touches no shared memory, and the
 * places from where on it does.
 *
 * Between two constructs of one function there is often nothing but a loop counter, a swap of
 * pointers, or arithmetic with what was reduced: automatic scalars, on a stack that every node has
 * to itself.  Everything else ends that: the run time is informed before it, and before the
 * function is left.  A function whose flow is not that of its blocks is left alone.
 */
#include "untouched.h"

#include "read/directive_facts.h"
#include "read/part.h"
#include "read/unit.h"

struct walk {
	struct unit *unit;
	bool open;   /* here a construct may have ended since memory was touched last */
	bool fresh;  /* the last one of REGIONS has just ended */
	bool failed; /* something is not understood */
	LIST(int) regions;
	LIST(unsigned int) touches;
};

static const struct token *token_of(const struct walk *walk, unsigned int at)
{
	return &walk->unit->source.tokens.items[at];
}

static bool is(const struct walk *walk, unsigned int at, const char *word)
{
	return token_is(&walk->unit->source, token_of(walk, at), word);
}

static bool is_one_of(const struct walk *walk, unsigned int at, const char *const *words)
{
	for (; *words; words++)
		if (is(walk, at, *words))
			return true;
	return false;
}

/* -- expressions ---------------------------------------------------------------------------- */

static bool is_type(const struct walk *walk, unsigned int at)
{
	static const char *const words[] = {"void",   "char",	  "short", "int",   "long", "float",
					    "double", "unsigned", "_Bool", "const", NULL};

	return is_one_of(walk, at, words) || is(walk, at, "signed");
}

static bool is_volatile_at(const struct tree *tree, unsigned int offset)
{
	for (size_t i = 0; i < tree->volatiles.count; i++)
		if (tree->volatiles.items[i] == offset)
			return true;
	return false;
}

/* Whether the name at AT is that of an automatic scalar, used or declared. */
static bool is_scalar(const struct walk *walk, unsigned int at)
{
	const struct tree *tree = &walk->unit->tree;
	unsigned int offset = token_of(walk, at)->offset;
	unsigned int index = tree_variable_at(tree, offset);
	size_t i = tree_reference_at(tree, offset);
	const struct variable *variable;

	if (i < tree->references.count && tree->references.items[i].offset == offset)
		index = tree->references.items[i].variable;
	if (index == NO_VARIABLE)
		return false;
	variable = &tree->variables.items[index];
	return variable->automatic && variable->shape == SHAPE_SCALAR && !variable->variable_size &&
	       !variable->threadprivate && !is_volatile_at(tree, offset);
}

static bool is_private_name(const struct walk *walk, struct part part, unsigned int at)
{
	static const char *const flow[] = {"if", "else", "for", "while", "do", NULL};
	bool called = part_is(&walk->unit->source, part, at + 1, "(");

	if (is_one_of(walk, at, flow))
		return true;
	return !called && (is_type(walk, at) || is(walk, at, "break") || is(walk, at, "continue") ||
			   is_scalar(walk, at));
}

/* A * that belongs to a type, or that multiplies. */
static bool is_harmless_star(const struct walk *walk, unsigned int at)
{
	unsigned int before = at - 1;

	while (is(walk, before, "*"))
		before--;
	if (is_type(walk, before))
		return true;
	return before == at - 1 &&
	       (token_of(walk, before)->kind == TOKEN_NUMBER ||
		(token_of(walk, before)->kind == TOKEN_NAME && is_scalar(walk, before)));
}

/* A bracket after a bracket: what is cast, or a call. */
static bool is_harmless_bracket(const struct walk *walk, unsigned int at)
{
	return !is(walk, at - 1, ")") || is_type(walk, at - 2) || is(walk, at - 2, "*");
}

static bool is_harmless_token(const struct walk *walk, struct part part, unsigned int at)
{
	static const char *const words[] = {
		"=",  "+",  "-",  "/",	"%",  "^",  "|",  "&",	"~",  "!",  "<",  ">",	"?",
		":",  ",",  ";",  ")",	"{",  "}",  "++", "--", "==", "!=", "<=", ">=", "&&",
		"||", "<<", ">>", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", NULL};

	switch (token_of(walk, at)->kind) {
	case TOKEN_NUMBER:
		return true;
	case TOKEN_NAME:
		return is_private_name(walk, part, at);
	case TOKEN_PUNCTUATOR:
		break;
	default:
		return false;
	}
	if (is(walk, at, "*"))
		return is_harmless_star(walk, at);
	if (is(walk, at, "("))
		return is_harmless_bracket(walk, at);
	return is_one_of(walk, at, words);
}

/* Whether all of it works on automatic scalars.  Something stands before PART. */
static bool is_harmless(const struct walk *walk, struct part part)
{
	for (unsigned int at = part.first; at < part.end; at++)
		if (!is_harmless_token(walk, part, at))
			return false;
	return true;
}

static bool is_harmless_range(const struct walk *walk, struct range range)
{
	const struct source *source = &walk->unit->source;

	return is_harmless(walk, (struct part){source_token_at(source, range.from),
					       source_token_at(source, range.to)});
}

/* -- constructs ----------------------------------------------------------------------------- */

static bool is_region(const struct directive *directive)
{
	return directive_is(directive->kind, IS_PARALLEL) && directive->parent < 0;
}

static bool has_region(const struct walk *walk, const struct statement *statement)
{
	const struct directive_list *directives = &walk->unit->directives;
	unsigned int from = token_of(walk, statement->first)->offset;
	unsigned int to = token_end(token_of(walk, statement->end - 1));

	for (size_t i = 0; i < directives->list.count; i++)
		if (is_region(&directives->list.items[i]) &&
		    directives->list.items[i].offset >= from &&
		    directives->list.items[i].offset < to)
			return true;
	return false;
}

/* Whether nothing is touched before its region starts: expressions, and blocks that are asked for
 * their size. */
static bool starts_untouched(const struct walk *walk, const struct directive *directive)
{
	for (size_t i = 0; i < directive->clauses.count; i++) {
		const struct clause *clause = &directive->clauses.items[i];

		if (clause->kind == CLAUSE_IF || clause->kind == CLAUSE_NUM_THREADS ||
		    clause->kind == CLAUSE_SCHEDULE || clause->kind == CLAUSE_COPYIN)
			return false;
		for (size_t j = 0; j < clause->items.count; j++)
			if (clause->items.items[j].section_count)
				return false;
	}
	for (unsigned int i = 0; i < directive->loop_count; i++)
		if (!is_harmless_range(walk, directive->loops[i].first) ||
		    !is_harmless_range(walk, directive->loops[i].limit) ||
		    !is_harmless_range(walk, directive->loops[i].step))
			return false;
	return !directive->writes_known || !directive->writes.count;
}

/* -- statements ----------------------------------------------------------------------------- */

static struct statement *statement_at(const struct walk *walk, int index)
{
	return &walk->unit->statements.items[index];
}

/* Something is touched from token AT on; right after a region, that need not wait. */
static void touch(struct walk *walk, unsigned int at)
{
	if (walk->fresh)
		walk->regions.count--;
	else if (walk->open)
		*list_add(&walk->touches) = token_of(walk, at)->offset;
	walk->open = walk->fresh = false;
}

/* Whatever was touched, a region may have ended since. */
static void reopen(struct walk *walk)
{
	walk->open = true;
	walk->fresh = false;
}

static void walk_statement(struct walk *walk, int index);

/* What an if or a loop governs: a call has room in braces only, and none before them. */
static void walk_body(struct walk *walk, int index)
{
	const struct statement *body = statement_at(walk, index);
	struct part inside = {body->first + 1, body->end - 1};
	size_t before = walk->touches.count;

	if (body->kind != STATEMENT_COMPOUND || has_region(walk, body))
		walk_statement(walk, index);
	else if (!is_harmless(walk, inside))
		touch(walk, inside.first);
	if (body->kind != STATEMENT_COMPOUND && walk->touches.count > before)
		walk->failed = true;
}

static void walk_if(struct walk *walk, const struct statement *statement)
{
	bool open;

	if (!is_harmless(walk, (struct part){statement->first,
					     statement_at(walk, statement->child)->first}))
		touch(walk, statement->first);
	open = walk->open;
	for (int at = statement->child; at != NO_STATEMENT; at = statement_at(walk, at)->next) {
		walk->open = open;
		walk->fresh = false;
		walk_body(walk, at);
	}
	reopen(walk);
}

static void walk_loop(struct walk *walk, const struct statement *statement)
{
	const struct statement *body = statement_at(walk, statement->child);

	if (!is_harmless(walk, (struct part){statement->first, body->first}) ||
	    !is_harmless(walk, (struct part){body->end, statement->end}))
		walk->failed = true;
	reopen(walk);
	walk_body(walk, statement->child);
	reopen(walk);
}

static void walk_region(struct walk *walk, const struct statement *statement)
{
	struct directive *directive = &walk->unit->directives.list.items[statement->directive];

	if (!starts_untouched(walk, directive))
		touch(walk, statement->first);
	*list_add(&walk->regions) = statement->directive;
	walk->open = walk->fresh = true;
}

static void walk_statement(struct walk *walk, int index)
{
	const struct statement *statement = statement_at(walk, index);

	if (!has_region(walk, statement)) {
		if (!is_harmless(walk, (struct part){statement->first, statement->end}))
			touch(walk, statement->first);
		walk->fresh = false;
		return;
	}
	switch (statement->kind) {
	case STATEMENT_COMPOUND:
		for (int at = statement->child; at != NO_STATEMENT;
		     at = statement_at(walk, at)->next)
			walk_statement(walk, at);
		break;
	case STATEMENT_IF:
		walk_if(walk, statement);
		break;
	case STATEMENT_FOR:
	case STATEMENT_LOOP:
		walk_loop(walk, statement);
		break;
	case STATEMENT_DIRECTIVE:
		walk_region(walk, statement);
		break;
	default:
		walk->failed = true;
		break;
	}
}

/* -- functions ------------------------------------------------------------------------------ */

/* Jumps, and what runs where a block is left. */
static bool flows_by_blocks(const struct walk *walk, const struct statement *body)
{
	static const char *const words[] = {"cleanup", "__cleanup__", "goto", "__label__", NULL};

	for (unsigned int at = body->first; at < body->end; at++)
		if (is_one_of(walk, at, words))
			return false;
	for (size_t i = 0; i < walk->unit->statements.count; i++) {
		const struct statement *statement = &walk->unit->statements.items[i];

		if (statement->first >= body->first && statement->end <= body->end &&
		    statement->construct < 0 &&
		    (statement->kind == STATEMENT_LABEL || statement->kind == STATEMENT_CASE ||
		     statement->kind == STATEMENT_SWITCH || statement->kind == STATEMENT_GOTO))
			return false;
	}
	return true;
}

static void walk_function(struct unit *unit, int index)
{
	const struct statement *body = &unit->statements.items[index];
	struct walk walk = {.unit = unit};

	if (!has_region(&walk, body) || !flows_by_blocks(&walk, body))
		return;
	walk_statement(&walk, index);
	touch(&walk, body->end - 1);
	for (size_t i = 0; !walk.failed && i < walk.regions.count; i++)
		unit->directives.list.items[walk.regions.items[i]].untouched = true;
	for (size_t i = 0; !walk.failed && i < walk.touches.count; i++)
		*list_add(&unit->touches) = walk.touches.items[i];
	list_free(&walk.regions);
	list_free(&walk.touches);
}

void untouched_find(struct unit *unit)
{
	if (unit->synchronisation.any)
		return;
	for (size_t i = 0; i < unit->statements.count; i++)
		if (unit->statements.items[i].parent == NO_STATEMENT &&
		    unit->statements.items[i].kind == STATEMENT_COMPOUND)
			walk_function(unit, (int)i);
}
