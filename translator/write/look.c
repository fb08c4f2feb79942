/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * look.c - loops that wait for a volatile object to change, and calls that let the processor wait.
 *
 * OpenMP asks for a flush there; on threads programs run without.
 */
#include "look.h"

#include "read/part.h"
#include "read/directive_facts.h"
#include "read/unit.h"

static bool is(const struct source *source, unsigned int at, const char *word)
{
	return at < source->tokens.count && token_is(source, &source->tokens.items[at], word);
}

/* Whether the name at OFFSET means an automatic variable of a function that has no region. */
static bool is_of_function(const struct unit *unit, unsigned int offset)
{
	struct syntax *path[SYNTAX_DEPTH];
	unsigned int depth = syntax_path(&unit->syntax, offset, path, SYNTAX_DEPTH);
	const struct syntax *piece = depth ? path[depth - 1] : NULL;

	return piece && piece->kind == SYNTAX_VARIABLE && piece->range.from == offset &&
	       piece->automatic && piece->type.kind != TYPE_POINTER;
}

/* Whether the name at OFFSET means an automatic variable that no region there shares. */
static bool is_own(const struct unit *unit, unsigned int offset)
{
	const struct tree *tree = &unit->tree;
	size_t i = tree_reference_at(tree, offset), j;
	const struct variable *variable;

	if (i == tree->references.count || tree->references.items[i].offset != offset)
		return is_of_function(unit, offset);
	variable = &tree->variables.items[tree->references.items[i].variable];
	if (!variable->automatic)
		return variable->threadprivate;
	if (variable->pointer)
		return false;
	for (j = 0; j < unit->directives.list.count; j++) {
		const struct directive *directive = &unit->directives.list.items[j];

		if (directive_is(directive->kind, IS_PARALLEL) &&
		    variable->offset < directive->offset && offset > directive->body.from &&
		    offset < directive->body.to)
			return false;
	}
	return true;
}

static bool reads_volatile(const struct unit *unit, struct part part)
{
	const struct tree *tree = &unit->tree;
	struct range range = part_text(&unit->source, part);
	size_t i;

	for (i = 0; i < tree->volatiles.count; i++)
		if (tree->volatiles.items[i] >= range.from && tree->volatiles.items[i] < range.to &&
		    !is_own(unit, tree->volatiles.items[i]))
			return true;
	return false;
}

/* Nothing, or a number: then the loop ends from within. */
static bool is_endless(const struct source *source, struct part condition)
{
	return condition.first == condition.end ||
	       (condition.end == condition.first + 1 &&
		source->tokens.items[condition.first].kind == TOKEN_NUMBER);
}

/* The statement from token AT on, as far as brackets and the next semicolon tell. */
static struct part statement_at(const struct source *source, unsigned int at)
{
	struct part rest = {at, (unsigned int)source->tokens.count};

	rest.end = is(source, at, "{") ? part_next(source, at) : part_find(source, rest, at, ";");
	return rest;
}

/* The condition of the loop whose "while" or "for" is token AT; false when it is not understood. */
static bool find_condition(const struct source *source, unsigned int at, struct part *condition)
{
	unsigned int close = source->tokens.items[at + 1].match;

	if (close == NO_MATCH || close <= at + 1)
		return false;
	*condition = (struct part){at + 2, close};
	if (is(source, at, "while"))
		return condition->first < condition->end;
	condition->first = part_find(source, *condition, at + 2, ";") + 1;
	if (condition->first >= close)
		return false;
	condition->end = part_find(source, *condition, condition->first, ";");
	return condition->end < close;
}

/* Whether the statement at token AT does nothing; that of do stands before it. */
static bool is_empty(const struct source *source, unsigned int at, bool before)
{
	if (before)
		return at > 1 && ((is(source, at, "}") && is(source, at - 1, "{")) ||
				  (is(source, at, ";") && is(source, at - 1, "do")));
	return is(source, at, ";") || (is(source, at, "{") && is(source, at + 1, "}"));
}

/* Whether the "while" at token AT ends a do; of `do statement;` only an empty one is found. */
static bool is_of_do(const struct source *source, unsigned int at)
{
	unsigned int open = source->tokens.items[at - 1].match;

	if (is(source, at - 1, ";"))
		return is(source, at - 2, "do");
	return open != NO_MATCH && open > 0 && is(source, open - 1, "do");
}

static bool only_waits(const struct source *source, unsigned int at, struct part condition)
{
	unsigned int close = source->tokens.items[at + 1].match;

	if (is(source, at, "for"))
		return condition.end + 1 == close && is_empty(source, close + 1, false);
	/* What stands after the while of a do is always a semicolon. */
	if (at > 1 && (is(source, at - 1, "}") || is(source, at - 1, ";")) &&
	    is(source, close + 1, ";") && is_of_do(source, at))
		return is_empty(source, at - 1, true);
	return is_empty(source, close + 1, false);
}

static void rewrite_loop(struct unit *unit, unsigned int at)
{
	struct source *source = &unit->source;
	struct part condition, looked;
	unsigned int offset;

	if (!find_condition(source, at, &condition))
		return;
	looked = condition;
	if (is_endless(source, condition))
		looked = statement_at(source, source->tokens.items[at + 1].match + 1);
	if (looked.first >= looked.end || !reads_volatile(unit, looked))
		return;
	offset = source->tokens.items[condition.first].offset;
	edit_before(source, offset, offset,
		    format_text("cape_look(%d), %s", only_waits(source, at, condition),
				condition.first == condition.end ? "1" : ""));
}

/* Whether a program that calls this waits for another thread; who sleeps may wait for the time. */
static bool is_pause(const struct source *source, unsigned int at)
{
	static const char *const names[] = {"__builtin_ia32_pause", "_mm_pause", "sched_yield",
					    "thrd_yield"};
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (is(source, at, names[i]))
			return true;
	return false;
}

/*
 * Whether the function whose name is token AT is called there, and not declared, or a member.  None
 * of them takes an argument: a declaration says "void".
 */
static bool is_called(const struct source *source, unsigned int at)
{
	if (source->tokens.items[at + 1].match != at + 2 || at == 0)
		return false;
	if (source->tokens.items[at - 1].kind == TOKEN_NAME)
		return is(source, at - 1, "else") || is(source, at - 1, "do") ||
		       is(source, at - 1, "return");
	return !is(source, at - 1, "*") && !is(source, at - 1, ".") && !is(source, at - 1, "->");
}

static bool pauses(const struct source *source, unsigned int at)
{
	return is(source, at + 1, "(") && is_pause(source, at) && is_called(source, at) &&
	       !source_line_at(source, source->tokens.items[at].offset)->system;
}

bool look_pauses(const struct source *source)
{
	unsigned int at;

	for (at = 0; at < source->tokens.count; at++)
		if (pauses(source, at))
			return true;
	return false;
}

/* What is waited for may be any object, and be looked at in another function. */
static void rewrite_pause(struct unit *unit, unsigned int at)
{
	struct source *source = &unit->source;
	const struct token *name = &source->tokens.items[at];
	const struct token *close = &source->tokens.items[name[1].match];

	edit_before(source, name->offset, name->offset, format_text("(cape_look(1), "));
	edit_before(source, token_end(close), close->offset, format_text(")"));
}

void look_rewrite(struct unit *unit)
{
	const struct source *source = &unit->source;
	unsigned int at;

	for (at = 0; at + 1 < source->tokens.count; at++) {
		if (pauses(source, at))
			rewrite_pause(unit, at);
		else if (unit->tree.volatiles.count && is(source, at + 1, "(") &&
			 (is(source, at, "while") || is(source, at, "for")))
			rewrite_loop(unit, at);
	}
}
