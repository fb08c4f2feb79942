/* SPDX-License-Identifier: GPL-2.0-or-later */
/* said.c - what the program says of a loop by #pragma cape, where a walk does not know. */
#include "said.h"

#include <string.h>

#include "access.h"
#include "check/sharing.h"
#include "covered.h"
#include "read/report.h"
#include "read/unit.h"
#include "statement.h"
#include "visible.h"

/* -- items ------------------------------------------------------------------------------------- */

static void reject(struct walk *walk, const struct said_item *item, const char *why)
{
	report_error(walk->unit, item->text.from,
		     "'#pragma cape': where this is must be known before the loop, but %s", why);
}

/* Why the value of a subscript is not known. */
static void reject_value(struct walk *walk, const struct said_item *item)
{
	struct text why = {0};

	if (walk->changed)
		text_print(&why, "'%s' changes in the loop, in line %u", walk->changed,
			   source_place(&walk->unit->source, walk->changed_at).line);
	else
		text_print(&why, "it depends on memory that each thread has for itself");
	reject(walk, item, why.data);
	text_free(&why);
}

/* Whether the loop has one of its own that has no value where the loop begins. */
static bool is_private(const struct walk *walk, unsigned int variable)
{
	enum sharing sharing = sharing_of(walk->directive, variable);

	return sharing_is_private(sharing) && sharing != SHARING_FIRSTPRIVATE &&
	       !sharing_is_loop_variable(walk->directive, variable);
}

static const struct syntax *private_in(const struct walk *walk, const struct syntax *value)
{
	const struct syntax *found = NULL;
	unsigned int index;

	if (!value)
		return NULL;
	if (value->kind == SYNTAX_VARIABLE) {
		index = tree_variable_at(&walk->unit->tree, value->declaration);
		return index != NO_VARIABLE && is_private(walk, index) ? value : NULL;
	}
	for (unsigned int i = 0; i < value->count && !found; i++)
		found = private_in(walk, value->parts[i]);
	return found;
}

static struct syntax *zero(struct walk *walk, const struct syntax *like)
{
	struct syntax *number = syntax_new(&walk->unit->syntax, SYNTAX_NUMBER, like->range, 0);

	number->word = "0";
	number->type = like->type;
	return number;
}

/* Goes on in the elements of a range, whose length DECLARATION has. */
static bool enter_range(struct walk *walk, struct syntax *declaration)
{
	struct iterator values = {.kind = ITERATOR_INNER, .relation = LOOP_LESS};
	struct syntax *length = declaration->parts[0];

	values.limit = walk_expression(walk, length);
	if (!values.limit)
		return false;
	values.first = zero(walk, declaration);
	walk_depend(walk, values.limit, length->range);
	walk_enter(walk, PART_LOOP)->iterator = statement_iterator(walk, declaration, &values);
	return true;
}

static void note_item(struct walk *walk, struct said_item *item, struct syntax *address)
{
	struct syntax *object;

	address = walk_expression(walk, address);
	if (!address) {
		reject_value(walk, item);
		return;
	}
	object = address->parts[0];
	if (access_is_own(walk, object)) {
		reject(walk, item, "each thread has it for itself");
		return;
	}
	object = syntax_copy(&walk->unit->syntax, object);
	object->range = item->text;
	item->base = covered_base(object);
	access_note(walk, item->set == SAID_READS ? SET_READ : SET_MAY_WRITE, object, object, true);
}

static void walk_item(struct walk *walk, struct said_item *item)
{
	struct part_of_set *around = walk->part;
	struct syntax *block = item->tree;
	const struct syntax *own = private_in(walk, block);
	struct text why = {0};

	walk->changed = NULL;
	if (own) {
		text_print(&why, "'%s' is private to the loop", own->word);
		reject(walk, item, why.data);
		text_free(&why);
		return;
	}
	for (unsigned int i = 0; i + 1 < block->count; i++)
		if (!enter_range(walk, syntax_statement(block->parts[i]))) {
			reject_value(walk, item);
			walk->part = around;
			return;
		}
	note_item(walk, item, block->parts[block->count - 1]);
	walk->part = around;
}

void said_walk(struct walk *walk)
{
	struct said *said = walk->directive->said;
	struct sets *sets = walk->sets;

	for (size_t i = 0; said && i < said->items.count; i++)
		if (said->items.items[i].tree)
			walk_item(walk, &said->items.items[i]);
	for (size_t i = 0; i < sets->memory.count; i++)
		sets->memory.items[i]->is_said = true;
}

/* -- what the walk found and is not good enough ------------------------------------------------ */

static bool has_all_names(const struct walk *walk, const struct syntax *value)
{
	if (!value)
		return true;
	if (value->kind == SYNTAX_VARIABLE && !visible_at(walk->unit, walk_place(walk), value))
		return false;
	for (unsigned int i = 0; i < value->count; i++)
		if (!has_all_names(walk, value->parts[i]))
			return false;
	return true;
}

/* Whether PART, or one around it, says something that cannot be written where the loop begins. */
static bool is_nameless(const struct walk *walk, const struct part_of_set *part)
{
	const struct iterator *iterator = &walk->sets->iterators.items[part->iterator];

	if (!has_all_names(walk, part->condition) || !has_all_names(walk, part->object))
		return true;
	if (part->kind == PART_LOOP &&
	    (!has_all_names(walk, iterator->first) || !has_all_names(walk, iterator->limit) ||
	     !has_all_names(walk, iterator->step)))
		return true;
	return part->around && is_nameless(walk, part->around);
}

static bool is_strange(void *context, const struct syntax *piece)
{
	(void)context;
	return piece->kind == SYNTAX_STRANGE || piece->kind == SYNTAX_OPAQUE;
}

void said_replace_parts(const struct walk *walk, const struct syntax *loop, size_t first)
{
	struct sets *sets = walk->sets;
	bool strange;

	if (!walk->directive->said)
		return;
	/* Then it is not known either what variables hold. */
	strange = syntax_each(&walk->unit->syntax, loop, is_strange, NULL) && covered_all(walk);
	for (size_t i = first; i < sets->memory.count; i++) {
		struct part_of_set *part = sets->memory.items[i];

		if (part->kind != PART_ACCESS)
			continue;
		if (strange)
			covered_replace(walk, part, "something in the loop is not followed");
		else if (covered_access(walk, part->set, part->object) && is_nameless(walk, part))
			covered_replace(walk, part,
					"where the loop begins a name in it means something else");
	}
}
