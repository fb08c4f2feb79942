/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * said_trees.c - the expressions of #pragma cape as trees.
 *
 * libclang does not look into pragmas.  It reads a second text, in which each loop has the items of
 * its pragma as statements before its body, where the loop's variables have their names:
 *
 *	for (int i = 0; i < n; i++)
 *	if (0) {
 *		{ long cape_1 = 3; (void)&(a[(i - 1) + cape_1]); }
 *	} else
 *		body
 *
 * From there the trees are taken, with the positions that their words have in the first text.
 */
#include "said_trees.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "read/directive_facts.h"
#include "read/report.h"
#include "read/unit.h"

/* LENGTH characters of the second text at TO stand in the first one at FROM. */
struct piece {
	unsigned int to, from, length;
};

/* The items of a pragma, in the second text. */
struct place_of_items {
	struct said *said;
	unsigned int first; /* in the first text: where the loop's body begins */
	unsigned int block; /* where the { stands that they are in */
};

struct second {
	struct unit *unit;
	struct unit other;
	struct text text;
	LIST(struct piece) pieces;
	LIST(struct place_of_items) places; /* in the order of the text */
};

/* -- the second text --------------------------------------------------------------------------- */

static void put_piece(struct second *second, struct range from)
{
	*list_add(&second->pieces) =
		(struct piece){(unsigned int)second->text.length, from.from, from.to - from.from};
}

static void put(struct second *second, struct range from)
{
	put_piece(second, from);
	text_add(&second->text, second->unit->source.text.data + from.from, from.to - from.from);
}

/* ITEM up to END; of each range, the elements or the first one. */
static void put_object(struct second *second, const struct said_item *item, unsigned int end)
{
	unsigned int at = item->text.from;

	for (size_t i = 0; i < item->subscripts.count; i++) {
		const struct said_subscript *subscript = &item->subscripts.items[i];
		bool has_lower = subscript->lower.to > 0;

		if (subscript->bracket.from >= end)
			break;
		put(second, (struct range){at, subscript->bracket.from});
		text_print(&second->text, has_lower ? "[(" : "[");
		if (has_lower)
			put(second, subscript->lower);
		text_print(&second->text, has_lower ? ")" : "");
		if (subscript->is_range)
			text_print(&second->text, "%scape_%zu", has_lower ? " + " : "", i + 1);
		text_print(&second->text, "]");
		at = subscript->bracket.to;
	}
	put(second, (struct range){at, end});
}

/* The variable of a range, which has its length, stands in the first text where the range does. */
static void put_length(struct second *second, const struct said_item *item, size_t i)
{
	const struct said_subscript *subscript = &item->subscripts.items[i];
	unsigned int begin = subscript->bracket.from;
	struct text *text = &second->text;

	text_print(text, "long ");
	put_piece(second, (struct range){begin, begin + 1});
	text_print(text, "cape_%zu = ", i + 1);
	if (subscript->length.to) {
		put(second, subscript->length);
	} else {
		text_print(text, "(long)(sizeof(");
		put_object(second, item, begin);
		text_print(text, ") / sizeof((");
		put_object(second, item, begin);
		text_print(text, ")[0]))");
		if (subscript->lower.to) {
			text_print(text, " - (");
			put(second, subscript->lower);
			text_print(text, ")");
		}
	}
	text_print(text, "; ");
}

static void put_items(struct second *second, struct place_of_items *place)
{
	struct text *text = &second->text;

	text_print(text, "\nif (0) ");
	place->block = (unsigned int)text->length;
	text_print(text, "{\n");
	for (size_t i = 0; i < place->said->items.count; i++) {
		const struct said_item *item = &place->said->items.items[i];

		text_print(text, "{ ");
		for (size_t j = 0; j < item->subscripts.count; j++)
			if (item->subscripts.items[j].is_range)
				put_length(second, item, j);
		put_piece(second, (struct range){item->text.from, item->text.from});
		text_print(text, "(void)&(");
		put_object(second, item, item->text.to);
		text_print(text, "); }\n");
	}
	text_print(text, "} else\n");
}

static void put_all(struct second *second)
{
	unsigned int at = 0;

	for (size_t i = 0; i < second->places.count; i++) {
		put(second, (struct range){at, second->places.items[i].first});
		put_items(second, &second->places.items[i]);
		at = second->places.items[i].first;
	}
	put(second, (struct range){at, (unsigned int)second->unit->source.text.length});
}

/* Where what stands at OFFSET of the second text does in the first one, or where it is nearest. */
static unsigned int first_of(const struct second *second, unsigned int offset)
{
	size_t low = 0, high = second->pieces.count;
	const struct piece *piece;

	while (high - low > 1) {
		size_t middle = (low + high) / 2;

		if (second->pieces.items[middle].to <= offset)
			low = middle;
		else
			high = middle;
	}
	piece = &second->pieces.items[low];
	return piece->from +
	       (offset - piece->to < piece->length ? offset - piece->to : piece->length);
}

/* -- trees ------------------------------------------------------------------------------------- */

static void move(const struct second *second, struct syntax *piece)
{
	if (!piece)
		return;
	piece->range.from = first_of(second, piece->range.from);
	piece->range.to = piece->range.to ? first_of(second, piece->range.to - 1) + 1 : 0;
	if ((piece->kind == SYNTAX_VARIABLE || piece->kind == SYNTAX_DECLARATION) &&
	    piece->declaration != NO_DECLARATION)
		piece->declaration = first_of(second, piece->declaration);
	for (unsigned int i = 0; i < piece->count; i++)
		move(second, piece->parts[i]);
}

static struct syntax *find_items(const struct second *second, const struct place_of_items *place)
{
	struct syntax *path[SYNTAX_DEPTH];
	unsigned int depth = syntax_path(&second->other.syntax, place->block, path, SYNTAX_DEPTH);

	while (depth-- > 0)
		if (path[depth]->kind == SYNTAX_BLOCK && path[depth]->range.from == place->block)
			return path[depth];
	return NULL;
}

/* Pieces that change something, or may. */
static bool has_effect(const struct syntax *piece)
{
	if (!piece)
		return false;
	if (piece->kind == SYNTAX_ASSIGN || piece->kind == SYNTAX_STEP ||
	    piece->kind == SYNTAX_CALL || piece->kind == SYNTAX_OPAQUE)
		return true;
	for (unsigned int i = 0; i < piece->count; i++)
		if (has_effect(piece->parts[i]))
			return true;
	return false;
}

/* -- what can be said of numbers --------------------------------------------------------------- */

static bool constant_of(const struct syntax *value, long *number)
{
	long first, second;
	char *end;

	switch (value->kind) {
	case SYNTAX_NUMBER:
		*number = strtol(value->word, &end, 0);
		return end != value->word && !end[strspn(end, "uUlL")];
	case SYNTAX_UNARY:
		return *value->word == '-' && constant_of(value->parts[0], &first) &&
		       !__builtin_sub_overflow(0, first, number);
	case SYNTAX_CAST:
		return value->type.kind == TYPE_INTEGER && type_width(&value->type) == 8 &&
		       constant_of(value->parts[0], number);
	case SYNTAX_BINARY:
		if (!constant_of(value->parts[0], &first) || !constant_of(value->parts[1], &second))
			return false;
		return !(!strcmp(value->word, "+")   ? __builtin_add_overflow(first, second, number)
			 : !strcmp(value->word, "-") ? __builtin_sub_overflow(first, second, number)
			 : !strcmp(value->word, "*") ? __builtin_mul_overflow(first, second, number)
						     : true);
	default:
		return false;
	}
}

#define ELEMENTS_MOST (1l << 47) /* more addresses no program has */

/* How many elements the array type has, or -1: that is not known. */
static long elements_of(const struct type *type)
{
	const char *bracket =
		type->kind == TYPE_ARRAY && type->name ? strchr(type->name, '[') : NULL;

	return bracket && !type->variable_size && bracket[1] >= '0' && bracket[1] <= '9'
		       ? strtol(bracket + 1, NULL, 10)
		       : -1;
}

/* LENGTH is sizeof by sizeof, of an array that has so many ELEMENTS, and perhaps less something. */
static void set_size(struct unit *unit, struct syntax *length, long elements)
{
	struct syntax *size = length->kind == SYNTAX_BINARY ? length->parts[0] : length;
	char word[24];

	snprintf(word, sizeof word, "%ld", elements);
	size->kind = SYNTAX_NUMBER;
	size->count = 0;
	size->word = syntax_word(&unit->syntax, word, strlen(word));
}

/* LOWER: NULL for 0.  ELEMENT: the item's piece with that subscript. */
static bool check_bounds(struct unit *unit, const struct said_subscript *subscript,
			 const struct syntax *element, const struct syntax *lower,
			 struct syntax *length)
{
	long elements = elements_of(&element->parts[0]->type), first = 0, count = 1, end;

	if (subscript->is_range && !subscript->length.to && elements < 0) {
		report_error(unit, subscript->bracket.from,
			     "the range has no length, and the array no size that is known here: "
			     "write [lower:length]");
		return false;
	}
	if (subscript->is_range && !subscript->length.to)
		set_size(unit, length, elements);
	if (length && length->type.kind != TYPE_INTEGER) {
		report_error(unit, subscript->length.from, "the length is no integer");
		return false;
	}
	if (length && constant_of(length, &count) && count < 0) {
		report_error(unit,
			     subscript->length.to ? subscript->length.from
						  : subscript->bracket.from,
			     "the length of the range is negative");
		return false;
	}
	if (length && !constant_of(length, &count))
		count = 0;
	if (lower && !constant_of(lower, &first)) {
		/* The length alone may be too much; an array of 0 goes on past its end. */
		if (!length || !elements)
			return true;
		first = 0;
	}
	if ((elements < 0 || first >= 0) && !__builtin_add_overflow(first, count, &end) &&
	    (elements < 0 ? end <= ELEMENTS_MOST : end <= elements))
		return true;
	report_error(unit, subscript->bracket.from,
		     elements < 0 ? "the range is too long"
				  : "this is outside of the array, which has %ld elements",
		     elements);
	return false;
}

/* The last piece in OBJECT that has a subscript. */
static struct syntax *last_element(struct syntax *object)
{
	while (object->kind != SYNTAX_ELEMENT && object->count)
		object = object->parts[0];
	return object->kind == SYNTAX_ELEMENT ? object : NULL;
}

/* ADDRESS is that of the item; before it in BLOCK the lengths are declared. */
static bool check_subscripts(struct unit *unit, const struct said_item *item,
			     const struct syntax *block, struct syntax *address)
{
	struct syntax *element = address->parts[0];
	unsigned int lengths = block->count - 1;

	for (size_t i = item->subscripts.count; i-- > 0; element = element->parts[0]) {
		const struct said_subscript *subscript = &item->subscripts.items[i];
		struct syntax *lower, *length = NULL;

		element = last_element(element);
		if (!element)
			return true; /* the brackets are of something else */
		lower = element->parts[1];
		if (subscript->is_range) {
			length = syntax_statement(block->parts[--lengths])->parts[0];
			lower = subscript->lower.to ? lower->parts[0] : NULL;
		}
		if (!check_bounds(unit, subscript, element, lower, length))
			return false;
	}
	return true;
}

/* -- all --------------------------------------------------------------------------------------- */

static void take_item(struct second *second, struct said_item *item, struct syntax *block)
{
	struct unit *unit = second->unit;
	struct syntax *last = block && block->count ? block->parts[block->count - 1] : NULL;

	if (!last || last->kind != SYNTAX_CAST || last->parts[0]->kind != SYNTAX_ADDRESS ||
	    has_effect(block)) {
		report_error(unit, item->text.from,
			     "this is no object whose place can be said before the loop: its "
			     "subscripts call nothing and change nothing");
		return;
	}
	move(second, block);
	block->parts[block->count - 1] = last->parts[0];
	if (check_subscripts(unit, item, block, last->parts[0]))
		item->tree = block;
}

static void take_trees(struct second *second)
{
	struct syntax_trees *from = &second->other.syntax, *to = &second->unit->syntax;

	for (size_t i = 0; i < second->places.count; i++) {
		const struct place_of_items *place = &second->places.items[i];
		struct syntax *block = find_items(second, place);

		for (size_t j = 0; j < place->said->items.count; j++)
			take_item(second, &place->said->items.items[j],
				  block && j < block->count ? block->parts[j] : NULL);
	}
	/* What the trees are made of is the unit's now. */
	for (size_t i = 0; i < from->memory.count; i++)
		*list_add(&to->memory) = from->memory.items[i];
	from->memory.count = 0;
}

static int compare_places(const void *one, const void *other)
{
	const struct place_of_items *a = one, *b = other;

	return a->first < b->first ? -1 : a->first > b->first;
}

static void find_places(struct second *second)
{
	struct unit *unit = second->unit;

	for (size_t i = 0; i < unit->said.count; i++) {
		struct said *said = &unit->said.items[i];
		const struct directive *directive = &unit->directives.list.items[said->directive];
		const struct loop *loops = directive->loops;

		if (directive_is(directive->kind, IS_LOOP) && directive->loop_count)
			*list_add(&second->places) = (struct place_of_items){
				said, loops[directive->loop_count - 1].body.from, 0};
		else
			report_error(unit, said->line.from,
				     "the loop after '#pragma cape' is not shared out by a team");
	}
	if (second->places.count)
		qsort(second->places.items, second->places.count, sizeof *second->places.items,
		      compare_places);
}

void said_trees_read(struct unit *unit, const char *standard)
{
	struct second second = {.unit = unit};
	struct unit *other = &second.other;

	find_places(&second);
	if (unit->errors || unit->tree.errors || !second.places.count)
		goto out;
	put_all(&second);
	other->source.text = second.text;
	second.text = (struct text){0};
	source_scan(&other->source);
	if (tree_read(other, standard) < 0)
		report_error(unit, second.places.items[0].said->line.from,
			     "libclang cannot read what '#pragma cape' says");
	else if (other->tree.errors)
		report_error(unit, first_of(&second, other->tree.error), "'#pragma cape': %s",
			     other->tree.message);
	else
		take_trees(&second);
out:
	list_free(&second.pieces);
	list_free(&second.places);
	text_free(&second.text);
	tree_free(&other->tree);
	source_free(&other->source);
	syntax_free(&other->syntax);
}
