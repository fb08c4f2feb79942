/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * spread.c - loops that all nodes may share out where sequential code meets them.
 *
 * There one thread runs the loop with the function's own variables.  If nodes share it out each has
 * copies of these, which end with the loop: so what the loop gives them must not be used after it.
 * Whether nodes access what others write is found when the loop runs.
 */
#include "spread.h"

#include <string.h>

#include "read/directive_facts.h"
#include "read/known.h"
#include "read/unit.h"
#include "scope.h"
#include "sets.h"

struct search {
	struct unit *unit;
	struct directive *directive;
	const struct syntax *loop;
	struct syntax *path[SYNTAX_DEPTH]; /* around the loop, which is the last one */
	unsigned int depth;
};

/* -- what comes after -------------------------------------------------------------------------- */

/* Whether names in PIECE may be no pieces: of sizes in types, functions, what is not followed. */
static bool is_hiding(const struct syntax *piece)
{
	return piece->kind == SYNTAX_OPAQUE || piece->kind == SYNTAX_STRANGE ||
	       (piece->kind == SYNTAX_CALL && piece->function < 0 && !piece->word) ||
	       (piece->type.variable_size &&
		(piece->kind == SYNTAX_DECLARATION || piece->kind == SYNTAX_CAST));
}

static bool mentions(const struct syntax *piece, unsigned int declaration)
{
	if (!piece)
		return false;
	if (is_hiding(piece) ||
	    ((piece->kind == SYNTAX_VARIABLE || piece->kind == SYNTAX_DECLARATION) &&
	     piece->declaration == declaration))
		return true;
	for (unsigned int i = 0; i < piece->count; i++)
		if (mentions(piece->parts[i], declaration))
			return true;
	return false;
}

/* What a piece does first with a variable, on any way through it. */
enum first_use {
	USE_NONE,  /* perhaps nothing */
	USE_GIVES, /* gives it a value, on all ways */
	USE_TAKES, /* takes its value, on some way */
};

static enum first_use first_use(const struct syntax *piece, unsigned int declaration);

/* Of pieces that come one after the other. */
static enum first_use first_of(struct syntax *const *pieces, unsigned int count,
			       unsigned int declaration)
{
	enum first_use use = USE_NONE;

	for (unsigned int i = 0; i < count && use == USE_NONE; i++)
		use = first_use(pieces[i], declaration);
	return use;
}

/* Of a body that may run any number of times, by way of what else the loop evaluates. */
static enum first_use first_of_rounds(const struct syntax *condition, const struct syntax *step,
				      const struct syntax *body, unsigned int declaration)
{
	enum first_use use = first_use(condition, declaration);

	if (use != USE_NONE)
		return use;
	use = first_use(body, declaration);
	if (use == USE_TAKES ||
	    ((use == USE_NONE || syntax_has(body, SYNTAX_LEAVE, SYNTAX_LEAVE)) &&
	     first_use(step, declaration) == USE_TAKES))
		return USE_TAKES;
	return USE_NONE;
}

static enum first_use first_of_if(const struct syntax *piece, unsigned int declaration)
{
	enum first_use use = first_use(piece->parts[0], declaration);
	enum first_use one, other;

	if (use != USE_NONE)
		return use;
	one = first_use(piece->parts[1], declaration);
	other = first_use(piece->parts[2], declaration);
	return one == other ? one : one == USE_TAKES || other == USE_TAKES ? USE_TAKES : USE_NONE;
}

static bool is_given(const struct syntax *piece, unsigned int declaration)
{
	return piece->kind == SYNTAX_ASSIGN && !strcmp(piece->word, "=") &&
	       piece->parts[0]->kind == SYNTAX_VARIABLE &&
	       piece->parts[0]->declaration == declaration;
}

static enum first_use first_use(const struct syntax *piece, unsigned int declaration)
{
	enum first_use use;

	if (!mentions(piece, declaration))
		return USE_NONE;
	switch (piece->kind) {
	case SYNTAX_BLOCK:
		return first_of(piece->parts, piece->count, declaration);
	case SYNTAX_IF:
		return first_of_if(piece, declaration);
	case SYNTAX_FOR:
		use = first_use(piece->parts[0], declaration);
		return use != USE_NONE ? use
				       : first_of_rounds(piece->parts[1], piece->parts[2],
							 piece->parts[3], declaration);
	case SYNTAX_LOOP:
		return first_of_rounds(piece->parts[0], NULL, piece->parts[1], declaration);
	default:
		return is_given(piece, declaration) && !mentions(piece->parts[1], declaration)
			       ? USE_GIVES
			       : USE_TAKES;
	}
}

/* Whether AROUND, where the loop has been left in the part INSIDE, may use what that has given. */
static enum first_use use_after(const struct syntax *around, const struct syntax *inside,
				unsigned int declaration)
{
	unsigned int at = 0;

	while (at < around->count && around->parts[at] != inside)
		at++;
	if (around->kind == SYNTAX_BLOCK)
		return first_of(around->parts + at + 1, around->count - at - 1, declaration);
	if (around->kind == SYNTAX_IF)
		return USE_NONE;
	/* It comes round again. */
	if (around->kind == SYNTAX_FOR && first_use(around->parts[2], declaration) != USE_TAKES)
		return first_of_rounds(around->parts[1], NULL, around->parts[3], declaration);
	return mentions(around, declaration) ? USE_TAKES : USE_NONE;
}

/* Whether what the loop leaves in the variable is never used. */
static bool is_dead_after(const struct search *search, unsigned int declaration)
{
	enum first_use use = USE_NONE;

	for (unsigned int i = search->depth - 1; i-- > 0 && use == USE_NONE;)
		use = use_after(search->path[i], search->path[i + 1], declaration);
	return use != USE_TAKES;
}

/* -- variables --------------------------------------------------------------------------------- */

/* Whether the construct itself makes a copy of the variable. */
static bool is_copied(const struct directive *directive, unsigned int variable)
{
	for (unsigned int i = 0; i < directive->loop_count; i++)
		if (directive->loops[i].variable == variable)
			return true;
	for (size_t i = 0; i < directive->clauses.count; i++)
		for (size_t j = 0; j < directive->clauses.items[i].items.count; j++)
			if (directive->clauses.items[i].items.items[j].variable == variable)
				return true;
	return false;
}

static bool carry(struct search *search, const struct syntax *piece)
{
	struct directive *directive = search->directive;
	unsigned int index = tree_variable_at(&search->unit->tree, piece->declaration);
	const struct variable *variable;

	if (index == NO_VARIABLE)
		return false;
	variable = &search->unit->tree.variables.items[index];
	if (is_copied(directive, index) || (variable->offset >= search->loop->range.from &&
					    variable->offset < search->loop->range.to))
		return true;
	for (size_t i = 0; i < directive->carried.count; i++)
		if (directive->carried.items[i] == index)
			return true;
	*list_add(&directive->carried) = index;
	return variable->shape == SHAPE_SCALAR && !variable->address_taken &&
	       !variable->is_volatile && (variable->arithmetic || variable->pointer) &&
	       (!scope_changes(&search->unit->syntax, search->loop, piece->declaration) ||
		is_dead_after(search, piece->declaration));
}

static bool carry_all(struct search *search, const struct syntax *piece)
{
	if (!piece)
		return true;
	if (piece->kind == SYNTAX_VARIABLE && piece->automatic && !carry(search, piece))
		return false;
	for (unsigned int i = 0; i < piece->count; i++)
		if (!carry_all(search, piece->parts[i]))
			return false;
	return true;
}

/* -- all --------------------------------------------------------------------------------------- */

/* Whether PIECE ends the program, which one thread would do for all, or asks for the team. */
static bool is_for_one(void *context, const struct syntax *piece)
{
	(void)context;
	return piece->kind == SYNTAX_CALL && piece->function < 0 && piece->word &&
	       (known_function(piece->word) == KNOWN_ENDS || !strncmp(piece->word, "omp_", 4));
}

/* Whether threads may have variables of their own that are static. */
static bool has_thread_local(const struct unit *unit)
{
	for (size_t i = 0; i < unit->directives.list.count; i++)
		if (unit->directives.list.items[i].kind == DIRECTIVE_THREADPRIVATE)
			return true;
	return strstr(unit->source.text.data, "_Thread_local") ||
	       strstr(unit->source.text.data, "__thread");
}

/* Whether the construct reads what a clause names before its loop begins. */
static bool takes_values(const struct directive *directive)
{
	for (size_t i = 0; i < directive->clauses.count; i++)
		if (directive->clauses.items[i].kind == CLAUSE_FIRSTPRIVATE ||
		    directive->clauses.items[i].linear)
			return true;
	return false;
}

static bool is_alone(const struct directive *directive)
{
	return directive->kind == DIRECTIVE_FOR && directive->parent < 0 && !directive->device &&
	       !directive_clause(directive, CLAUSE_REDUCTION) &&
	       !directive_clause(directive, CLAUSE_ORDERED) && !takes_values(directive) &&
	       !directive->sets->unknown.count && !directive->sets->said.count &&
	       !directive->sets->somewhere.count;
}

bool spread_find(struct unit *unit, struct directive *directive)
{
	struct search search = {.unit = unit, .directive = directive};
	unsigned int at = directive->loops[0].header.from;

	if (!is_alone(directive) || has_thread_local(unit))
		return false;
	search.depth = syntax_path(&unit->syntax, at, search.path, SYNTAX_DEPTH);
	while (search.depth && (search.path[search.depth - 1]->kind != SYNTAX_FOR ||
				search.path[search.depth - 1]->range.from != at))
		search.depth--;
	if (search.depth < 2 || syntax_has(search.path[0], SYNTAX_STRANGE, SYNTAX_STRANGE))
		return false;
	search.loop = search.path[search.depth - 1];
	return !syntax_each(&unit->syntax, search.loop, is_for_one, NULL) &&
	       carry_all(&search, search.loop);
}
