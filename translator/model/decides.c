/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * decides.c - the values that a loop's sets follow from.
 *
 * These are the variables that each thread has for itself, where variables on the stack lie, and
 * how large elements are whose size is a value.  Memory that threads have in common is a part of
 * the sets itself (SET_INDEX): it has to be brought before it is looked at.
 */
#include "decides.h"

#include <stdlib.h>
#include <string.h>

#include "read/unit.h"
#include "value.h"
#include "walk.h"

struct search {
	struct walk walk; /* to ask whose a variable is */
	const struct sets *sets;
	value_list *values;
	bool listed; /* of accesses that are: what they look at in memory the run time notes */
	LIST(unsigned int) seen; /* variables that have been looked at as memory that decides */
};

static bool find_in_value(struct search *search, const struct syntax *value);

/* -- what is added ----------------------------------------------------------------------------- */

static void add(struct search *search, struct text *text)
{
	value_list *values = search->values;
	bool known = false;

	for (size_t i = 0; i < values->count && !known; i++)
		known = !strcmp(values->items[i], text->data);
	if (!known)
		*list_add(values) =
			syntax_word(&search->walk.unit->syntax, text->data, text->length);
	text_free(text);
}

/* Not of types that have more bits than the run time takes, or some that mean nothing. */
static bool add_own(struct search *search, const struct syntax *variable)
{
	bool whole = variable->type.kind == TYPE_INTEGER || variable->type.kind == TYPE_POINTER;
	struct text text = {0};

	if (!value_is_word(variable))
		return false;
	text_print(&text, whole ? "(long)%s" : "cape_plan_real(%s)", variable->word);
	add(search, &text);
	return true;
}

/* -- sizes ------------------------------------------------------------------------------------- */

/* OBJECT with all subscripts 0, which sizeof may compute; false: it is not so simple. */
static bool print_first(struct text *text, const struct syntax *object)
{
	bool known;

	switch (object->kind) {
	case SYNTAX_VARIABLE:
		text_print(text, "%s", object->word);
		return true;
	case SYNTAX_ELEMENT:
	case SYNTAX_TARGET:
		known = print_first(text, object->parts[0]);
		text_print(text, "[0]");
		return known;
	case SYNTAX_ADDRESS:
		text_print(text, "(&");
		known = print_first(text, object->parts[0]);
		text_print(text, ")");
		return known;
	case SYNTAX_BINARY:
		return print_first(text,
				   object->parts[object->parts[0]->type.kind == TYPE_INTEGER]);
	default:
		return false;
	}
}

/*
 * PIECE has a type in which a value stands that it had when the variable was declared.  What a
 * pointer leads to has the size that is added for the pointer.
 */
static bool add_size(struct search *search, const struct syntax *piece)
{
	bool is_array = piece->type.kind == TYPE_ARRAY;
	struct text text = {0};

	/* What they are made of has been looked at. */
	if (piece->kind == SYNTAX_ADDRESS || piece->kind == SYNTAX_BINARY)
		return true;
	if (is_array && (piece->kind == SYNTAX_ELEMENT || piece->kind == SYNTAX_TARGET) &&
	    piece->parts[0]->type.kind == TYPE_POINTER)
		return true;
	if (piece->kind != SYNTAX_VARIABLE && (!is_array || piece->kind != SYNTAX_ELEMENT))
		return false;
	text_print(&text, is_array ? "(long)sizeof(" : "(long)sizeof(*");
	if (!print_first(&text, piece)) {
		text_free(&text);
		return false;
	}
	text_print(&text, ")");
	add(search, &text);
	return true;
}

/* -- memory ------------------------------------------------------------------------------------ */

static void print_number(void *context, struct text *text, unsigned int iterator)
{
	(void)context;
	text_print(text, "@%u", iterator);
}

/* Whether PART is brought, and may be looked at, before the loop. */
static bool is_brought(const struct part_of_set *part)
{
	return part->kind == PART_ACCESS && part->set == SET_INDEX && part->early;
}

/* Elements may have become one access to their array. */
static bool is_memory_brought(const struct search *search, const struct syntax *memory)
{
	const struct sets *sets = search->sets;
	struct text text = {0};
	bool brought = memory->kind == SYNTAX_ELEMENT &&
		       memory->parts[0]->type.kind == TYPE_ARRAY &&
		       memory->parts[1]->kind == SYNTAX_NUMBER &&
		       is_memory_brought(search, memory->parts[0]);

	value_print(&text, memory, print_number, NULL);
	for (size_t i = 0; i < sets->memory.count && !brought; i++)
		brought = is_brought(sets->memory.items[i]) &&
			  !strcmp(sets->memory.items[i]->text, text.data);
	text_free(&text);
	return brought;
}

static bool find_in_memory(struct search *search, const struct syntax *memory)
{
	bool is_variable = memory->kind == SYNTAX_VARIABLE;

	for (size_t i = 0; is_variable && i < search->seen.count; i++)
		if (search->seen.items[i] == memory->declaration)
			return true;
	if (is_variable && walk_is_own(&search->walk, memory))
		return add_own(search, memory);
	/* The run time notes what it reads, but for variables on the stack. */
	if (search->listed && value_is_word(memory) && !memory->type.variable_size)
		return !is_variable || !memory->automatic || add_own(search, memory);
	if (is_variable)
		*list_add(&search->seen) = memory->declaration;
	/* What pointers hold, too. */
	return value_is_row(memory) ||
	       (!value_has_any(memory) && is_memory_brought(search, memory));
}

/* -- expressions ------------------------------------------------------------------------------- */

static bool find_in_parts(struct search *search, const struct syntax *piece)
{
	for (unsigned int i = 0; i < piece->count; i++)
		if (!find_in_value(search, piece->parts[i]))
			return false;
	return true;
}

/* What the address of OBJECT follows from. */
static bool find_in_place(struct search *search, const struct syntax *object)
{
	struct text text = {0};

	if (object->type.variable_size && !add_size(search, object))
		return false;
	if (object->kind == SYNTAX_MEMBER && !object->arrow)
		return find_in_place(search, object->parts[0]);
	if (object->kind == SYNTAX_VARIABLE && object->automatic) {
		text_print(&text, "(long)&%s", object->word);
		add(search, &text);
	}
	return find_in_parts(search, object);
}

static bool find_in_value(struct search *search, const struct syntax *value)
{
	if (value->kind == SYNTAX_ADDRESS)
		return find_in_place(search, value->parts[0]);
	if (!syntax_is_object(value))
		return (!value->type.variable_size || add_size(search, value)) &&
		       find_in_parts(search, value);
	if (value->type.kind == TYPE_ARRAY)
		return find_in_place(search, value);
	/* The place of a variable does not matter here. */
	if (value->kind == SYNTAX_VARIABLE)
		return (!value->type.variable_size || add_size(search, value)) &&
		       find_in_memory(search, value);
	return find_in_place(search, value) && find_in_memory(search, value);
}

static bool find_in_part(struct search *search, const struct part_of_set *part)
{
	const struct iterator *iterator = &search->sets->iterators.items[part->iterator];

	switch (part->kind) {
	case PART_ACCESS:
		return find_in_place(search, part->object);
	case PART_IF:
		return find_in_value(search, part->condition);
	case PART_LOOP:
		return find_in_value(search, iterator->first) &&
		       find_in_value(search, iterator->limit) &&
		       (!iterator->step || find_in_value(search, iterator->step));
	default:
		return true;
	}
}

static bool find_somewhere(struct search *search)
{
	const struct sets *sets = search->sets;

	for (size_t i = 0; i < sets->somewhere.count; i++)
		if (sets->somewhere.items[i] && !find_in_place(search, sets->somewhere.items[i]))
			return false;
	return true;
}

bool decides_find(struct unit *unit, const struct directive *directive, value_list *values)
{
	const struct sets *sets = directive->sets;
	struct sets own = {.directive = sets->directive};
	struct search search = {.walk = {.unit = unit, .directive = directive, .sets = &own},
				.sets = sets,
				.values = values};
	bool known = find_somewhere(&search);

	for (size_t i = 0; i < sets->memory.count && known; i++) {
		search.listed = !sets->memory.items[i]->described;
		known = (search.listed && !sets->lists) ||
			find_in_part(&search, sets->memory.items[i]);
	}
	list_free(&search.seen);
	return known;
}
