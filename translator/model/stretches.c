/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stretches.c - what a region does between its sync points: whether that has anything in common.
 *
 * It is looked at by the names of variables, and by whether something is read or changed where a
 * pointer leads, which may be any other such place, and any variable of which a pointer may know.
 */
#include "stretches.h"

#include <string.h>

#include "access.h"
#include "check/sharing.h"
#include "read/known.h"
#include "read/unit.h"

enum { USED = 1, CHANGED = 2 };

/* What a stretch touches of what threads share. */
struct stretch {
	const struct unit *unit;
	unsigned char *uses;		/* by variable */
	bool follows, stores;		/* pointers: reads there, or changes something */
	bool uses_known, changes_known; /* what pointers may lead to, by its name */
	bool strange;			/* something else, or not known */
	bool library; /* what a library keeps: output, random numbers, that the program ends */
	bool *seen;   /* functions */
};

/* Whether a pointer may lead to VARIABLE, one that is not seen here if it is static or an array. */
static bool is_known(const struct variable *variable)
{
	return !variable->automatic || variable->address_taken || variable->shape != SHAPE_SCALAR;
}

static void use(struct stretch *stretch, unsigned int index, bool changes)
{
	const struct variable *variable = &stretch->unit->tree.variables.items[index];

	stretch->uses_known |= is_known(variable);
	stretch->changes_known |= changes && is_known(variable);
	stretch->uses[index] |= changes ? USED | CHANGED : USED;
}

static void use_named(struct stretch *stretch, const struct syntax *named, bool changes)
{
	const struct directive_list *directives = &stretch->unit->directives;
	const struct directive *around = directive_around(directives, named->range.from);
	int construct = around ? (int)(around - directives->list.items) : -1;
	unsigned int index = tree_variable_at(&stretch->unit->tree, named->declaration);

	if (index == NO_VARIABLE)
		stretch->strange |= !named->automatic;
	else if (sharing_is_shared_at(stretch->unit, construct, index))
		use(stretch, index, changes);
}

static void look(struct stretch *stretch, const struct syntax *piece);

/* What finds the place of OBJECT, and is none itself. */
static void look_beside(struct stretch *stretch, const struct syntax *object)
{
	const struct syntax *inner = object->count ? object->parts[0] : NULL;

	for (unsigned int i = 1; i < object->count; i++)
		look(stretch, object->parts[i]);
	if (inner && syntax_is_object(inner) && access_root(object))
		look_beside(stretch, inner);
	else
		look(stretch, inner);
}

static void touch(struct stretch *stretch, const struct syntax *object, bool changes)
{
	const struct syntax *root = access_root(object);

	if (root) {
		use_named(stretch, root, changes);
	} else {
		stretch->follows = true;
		stretch->stores |= changes;
	}
	if (object->kind != SYNTAX_VARIABLE)
		look_beside(stretch, object);
}

/* What a function of a library is given the place of, it may change. */
static void give(struct stretch *stretch, const struct syntax *argument)
{
	if (argument->type.kind == TYPE_ARRAY && syntax_is_object(argument)) {
		touch(stretch, argument, true);
		return;
	}
	if (argument->type.kind == TYPE_POINTER && argument->kind != SYNTAX_ADDRESS)
		stretch->follows = stretch->stores = true;
	look(stretch, argument);
}

/* Whether a function of a library has no effect but on what it is given. */
static bool keeps_nothing(const char *name)
{
	static const char *const names[] = {"malloc", "calloc",	       "realloc",
					    "free",   "omp_get_wtime", "omp_get_wtick"};
	enum known_function known = known_function(name);

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!strcmp(name, names[i]))
			return true;
	return known == KNOWN_COMPUTES || known == KNOWN_FILLS || known == KNOWN_COPIES;
}

static void look_at_clauses(struct stretch *stretch, struct range range);

static void call(struct stretch *stretch, const struct syntax *piece)
{
	const struct syntax *body;

	for (unsigned int i = 0; i < piece->count; i++)
		if (piece->function < 0)
			give(stretch, piece->parts[i]);
		else
			look(stretch, piece->parts[i]);
	if (piece->function < 0)
		stretch->library |= !piece->word || !keeps_nothing(piece->word);
	if (piece->function < 0 || stretch->seen[piece->function])
		return;
	stretch->seen[piece->function] = true;
	body = stretch->unit->syntax.functions.items[piece->function].body;
	look_at_clauses(stretch, body->range);
	look(stretch, body);
}

static void look_at_parts(struct stretch *stretch, const struct syntax *piece)
{
	for (unsigned int i = 0; i < piece->count; i++)
		look(stretch, piece->parts[i]);
}

static void look(struct stretch *stretch, const struct syntax *piece)
{
	if (!piece)
		return;
	switch (piece->kind) {
	case SYNTAX_STEP:
	case SYNTAX_ASSIGN:
	case SYNTAX_ADDRESS:
		touch(stretch, piece->parts[0], true);
		if (piece->count > 1)
			look(stretch, piece->parts[1]);
		break;
	case SYNTAX_VARIABLE:
		/* An array by its name alone is where it begins. */
		touch(stretch, piece, piece->type.kind == TYPE_ARRAY);
		break;
	case SYNTAX_ELEMENT:
	case SYNTAX_MEMBER:
	case SYNTAX_TARGET:
		touch(stretch, piece, false);
		break;
	case SYNTAX_CALL:
		call(stretch, piece);
		break;
	case SYNTAX_STRANGE:
	case SYNTAX_OPAQUE:
		stretch->strange = true;
		break;
	default:
		look_at_parts(stretch, piece);
	}
}

/* Whether the text in RANGE is a number, or nothing. */
static bool is_number(const struct unit *unit, struct range range)
{
	for (unsigned int i = range.from; i < range.to; i++)
		if (!strchr("0123456789 ", unit->source.text.data[i]))
			return false;
	return true;
}

/* What DIRECTIVE gives values to once its block has run, and takes values from before. */
static void look_at_clauses_of(struct stretch *stretch, const struct directive *directive)
{
	for (size_t i = 0; i < directive->clauses.count; i++) {
		const struct clause *clause = &directive->clauses.items[i];
		bool gives = clause->kind == CLAUSE_REDUCTION || clause->kind == CLAUSE_LASTPRIVATE;

		stretch->strange |= clause->kind == CLAUSE_SCHEDULE &&
				    !is_number(stretch->unit, clause->argument);
		for (size_t j = 0;
		     j < clause->items.count && (gives || clause->kind == CLAUSE_FIRSTPRIVATE); j++)
			use(stretch, clause->items.items[j].variable, gives);
	}
}

static void look_at_clauses(struct stretch *stretch, struct range range)
{
	const struct directive_list *directives = &stretch->unit->directives;
	size_t end = directives_from(directives, range.to);

	for (size_t i = directives_from(directives, range.from); i < end; i++)
		look_at_clauses_of(stretch, &directives->list.items[i]);
}

static bool share(const struct stretch *one, const struct stretch *other)
{
	for (size_t i = 0; i < one->unit->tree.variables.count; i++)
		if (one->uses[i] & CHANGED && other->uses[i])
			return true;
	return (one->library && other->library) ||
	       (one->stores && (other->follows || other->uses_known)) ||
	       (one->follows && other->changes_known);
}

/* -- the stretches of a block ------------------------------------------------------------------ */

/* Whether OFFSET is where a statement of BLOCK begins, or between two. */
static bool is_between(const struct syntax *block, unsigned int offset)
{
	for (unsigned int i = 0; i < block->count; i++)
		if (block->parts[i] && block->parts[i]->range.from < offset &&
		    offset < block->parts[i]->range.to)
			return false;
	return true;
}

bool stretches_divides(const struct unit *unit, const struct directive *region,
		       const struct directive *construct)
{
	const struct syntax *block = syntax_first_from(&unit->syntax, region->body.from);

	return directive_ends_with_barrier(construct) &&
	       directive_parent(&unit->directives, construct) == region && block &&
	       block->kind == SYNTAX_BLOCK && is_between(block, construct->offset);
}

/* How many end in the text FROM a place up to OFFSET. */
static size_t ended(const struct unit *unit, unsigned int from, unsigned int offset)
{
	size_t end = directives_from(&unit->directives, offset), count = 0;

	for (size_t i = directives_from(&unit->directives, from); i < end; i++) {
		const struct directive *construct = &unit->directives.list.items[i];

		count += directive_ends_with_barrier(construct) &&
			 (construct->kind == DIRECTIVE_BARRIER || construct->body.to <= offset);
	}
	return count;
}

typedef LIST(struct stretch) stretch_list;

static void look_at_all(const struct unit *unit, const struct directive *region,
			stretch_list *stretches)
{
	const struct directive_list *directives = &unit->directives;
	const struct syntax *block = syntax_first_from(&unit->syntax, region->body.from);
	size_t end = directives_from(directives, region->body.to);

	for (unsigned int i = 0; i < block->count; i++)
		if (block->parts[i])
			look(&stretches->items[ended(unit, region->body.from,
						     block->parts[i]->range.from)],
			     block->parts[i]);
	for (size_t i = directives_from(directives, region->body.from); i < end; i++) {
		const struct directive *construct = &directives->list.items[i];

		look_at_clauses_of(
			&stretches->items[ended(unit, region->body.from, construct->offset)],
			construct);
	}
}

static bool are_apart(const stretch_list *stretches)
{
	if (stretches->count == 1)
		return true;
	if (stretches->items[0].unit->has_alias)
		return false;
	for (size_t i = 0; i < stretches->count; i++) {
		if (stretches->items[i].strange)
			return false;
		for (size_t j = 0; j < stretches->count; j++)
			if (i != j && share(&stretches->items[i], &stretches->items[j]))
				return false;
	}
	return true;
}

bool stretches_are_apart(const struct unit *unit, const struct directive *region)
{
	stretch_list stretches = {0};
	size_t count = ended(unit, region->body.from, region->body.to) + 1;
	bool apart;

	for (size_t i = 0; i < count; i++) {
		struct stretch *stretch = list_add(&stretches);

		stretch->unit = unit;
		stretch->seen = memory_new(unit->syntax.functions.count + 1);
		stretch->uses = memory_new(unit->tree.variables.count + 1);
	}
	look_at_all(unit, region, &stretches);
	apart = are_apart(&stretches);
	for (size_t i = 0; i < count; i++) {
		memory_free(stretches.items[i].seen);
		memory_free(stretches.items[i].uses);
	}
	list_free(&stretches);
	return apart;
}
