/* SPDX-License-Identifier: GPL-2.0-or-later */
/* evaluate.c - what an expression reads and writes, and its value before the loop runs. */
#include <string.h>

#include "access.h"
#include "followed.h"
#include "read/known.h"
#include "read/unit.h"
#include "sizes.h"
#include "value.h"
#include "walk.h"

static struct syntax *evaluate(struct walk *walk, struct syntax *piece);
static struct syntax *locate(struct walk *walk, struct syntax *piece, bool *known);

static struct syntax_trees *trees(struct walk *walk)
{
	return &walk->unit->syntax;
}

/* -- values ------------------------------------------------------------------------------------ */

/* VALUE as one of PIECE's type; NULL: that cannot be written where the loop begins. */
static struct syntax *convert(struct walk *walk, struct syntax *value, const struct syntax *piece)
{
	const char *name = value ? value->type.name : NULL;
	struct syntax *cast;

	if (name && value->type.kind == TYPE_ARRAY && piece->type.kind == TYPE_POINTER)
		name = syntax_decayed(trees(walk), name);
	if (!name || !strcmp(name, piece->type.name))
		return value;
	if (piece->type.variable_size || strstr(piece->type.name, " at "))
		return NULL;
	cast = syntax_new(trees(walk), SYNTAX_CAST, value->range, 1);
	cast->type = piece->type;
	cast->parts[0] = value;
	return cast;
}

/* Whether the loop finds what is there before it begins, at an address. */
static bool is_plain(const struct type *type)
{
	return !type->is_volatile && !type->is_atomic && !type->bit_field;
}

static struct syntax *read_variable(struct walk *walk, struct syntax *piece)
{
	const struct binding *binding = scope_find(&walk->scope, piece->declaration);

	access_note(walk, SET_READ, piece, piece, true);
	if (!is_plain(&piece->type))
		return NULL;
	if (!binding)
		return piece;
	if (binding->value)
		return convert(walk, binding->value, piece);
	walk->changed = piece->word;
	walk->changed_at = binding->changed_at;
	return NULL;
}

/* Where an object is, found once: that may change variables, as in *p++ += 1. */
struct found {
	struct syntax *object; /* NULL: no object */
	bool known;
};

static struct found find(struct walk *walk, struct syntax *piece)
{
	struct found found = {.known = true};

	if (syntax_is_object(piece))
		found.object = locate(walk, piece, &found.known);
	return found;
}

/* The value of PIECE, which was FOUND: memory as it is before the loop. */
static struct syntax *read_at(struct walk *walk, struct syntax *piece, struct found found)
{
	if (!found.object)
		return evaluate(walk, piece);
	if (piece->type.kind == TYPE_ARRAY)
		return found.known ? found.object : NULL;
	if (piece->kind == SYNTAX_VARIABLE)
		return read_variable(walk, piece);
	access_note(walk, SET_READ, piece, found.object, found.known);
	return found.known && is_plain(&piece->type) && !access_is_own(walk, found.object)
		       ? found.object
		       : NULL;
}

/* A value made of the values of PIECE's parts; NULL: one of these is not known. */
static struct syntax *combine(struct walk *walk, struct syntax *piece)
{
	struct syntax *result = syntax_copy(trees(walk), piece);
	bool known = true;
	unsigned int i;

	for (i = 0; i < piece->count; i++) {
		result->parts[i] = evaluate(walk, piece->parts[i]);
		known &= result->parts[i] != NULL;
	}
	return known ? result : NULL;
}

/* Evaluates PIECE where CONDITION holds, or does not. */
static struct syntax *evaluate_if(struct walk *walk, struct syntax *condition, bool otherwise,
				  struct syntax *piece)
{
	struct syntax *value;

	walk_enter_if(walk, condition, otherwise);
	value = evaluate(walk, piece);
	walk_leave_if(walk, condition);
	return value;
}

static bool accesses_memory(const struct syntax *piece)
{
	if (piece->kind != SYNTAX_NUMBER && piece->kind != SYNTAX_VARIABLE && !piece->count)
		return true;
	if (piece->kind == SYNTAX_ELEMENT || piece->kind == SYNTAX_TARGET ||
	    piece->kind == SYNTAX_MEMBER || piece->kind == SYNTAX_ASSIGN ||
	    piece->kind == SYNTAX_STEP || piece->kind == SYNTAX_CALL)
		return true;
	for (unsigned int i = 0; i < piece->count; i++)
		if (accesses_memory(piece->parts[i]))
			return true;
	return false;
}

/* && and ||: the second operand only if the first one does not decide. */
static struct syntax *evaluate_logic(struct walk *walk, struct syntax *piece)
{
	struct syntax *result = syntax_copy(trees(walk), piece);
	struct syntax *first = evaluate(walk, piece->parts[0]);

	if (accesses_memory(piece->parts[1])) {
		first = walk_condition(walk, first, piece->range);
		result->parts[1] =
			evaluate_if(walk, first, !strcmp(piece->word, "||"), piece->parts[1]);
		scope_forget(&walk->scope, trees(walk), piece->parts[1]);
	} else {
		result->parts[1] = evaluate(walk, piece->parts[1]);
	}
	result->parts[0] = first;
	return first && result->parts[1] ? result : NULL;
}

static struct syntax *evaluate_choice(struct walk *walk, struct syntax *piece)
{
	struct syntax *result = syntax_copy(trees(walk), piece);
	struct syntax *condition = evaluate(walk, piece->parts[0]);

	condition = walk_condition(walk, condition, piece->range);
	result->parts[0] = condition;
	result->parts[1] = evaluate_if(walk, condition, false, piece->parts[1]);
	result->parts[2] = evaluate_if(walk, condition, true, piece->parts[2]);
	scope_forget(&walk->scope, trees(walk), piece->parts[1]);
	scope_forget(&walk->scope, trees(walk), piece->parts[2]);
	return condition && result->parts[1] && result->parts[2] ? result : NULL;
}

static struct syntax *evaluate_binary(struct walk *walk, struct syntax *piece)
{
	if (!strcmp(piece->word, ",")) {
		evaluate(walk, piece->parts[0]);
		return evaluate(walk, piece->parts[1]);
	}
	if (!strcmp(piece->word, "&&") || !strcmp(piece->word, "||"))
		return evaluate_logic(walk, piece);
	return combine(walk, piece);
}

/* -- changes ----------------------------------------------------------------------------------- */

/* Whether a value of its type can decide on what is accessed. */
static bool can_decide(const struct syntax *piece)
{
	return (piece->type.kind == TYPE_INTEGER || piece->type.kind == TYPE_POINTER) &&
	       is_plain(&piece->type);
}

static void change_variable(struct walk *walk, const struct syntax *variable, struct syntax *value)
{
	if (!can_decide(variable) || walk_is_exposed(walk, variable->declaration))
		value = NULL;
	scope_bind(&walk->scope, variable->declaration,
		   value ? convert(walk, value, variable) : NULL, variable->range.from);
}

/* PIECE, which was FOUND, gets VALUE. */
static void change(struct walk *walk, struct syntax *piece, struct found found,
		   struct syntax *value)
{
	if (piece->kind == SYNTAX_VARIABLE && walk_is_own(walk, piece)) {
		change_variable(walk, piece, value);
		return;
	}
	/* A part of a complex number. */
	if (!found.object) {
		walk_stop_unless_said(walk, piece->range, "a change of this kind is not followed");
		return;
	}
	access_note(walk, access_written(walk), piece, found.object, found.known);
	if (piece->kind == SYNTAX_VARIABLE)
		change_variable(walk, piece, walk_holds(walk, piece) ? value : NULL);
}

/* The type of what C computes of both. */
static struct type type_of_both(const struct syntax *first, const struct syntax *second)
{
	static const char *const names[] = {"int", "unsigned int", "long", "unsigned long"};
	const struct type *one = &first->type, *other = &second->type;
	unsigned int width = 4, more;
	bool is_unsigned;

	if (one->kind != TYPE_INTEGER)
		return *one;
	if (other->kind != TYPE_INTEGER)
		return *other;
	more = type_width(one) > type_width(other) ? type_width(one) : type_width(other);
	if (more > width)
		width = more;
	is_unsigned = (type_is_unsigned(one) && type_width(one) == width) ||
		      (type_is_unsigned(other) && type_width(other) == width);
	return (struct type){.kind = TYPE_INTEGER, .name = names[(width > 4) * 2 + is_unsigned]};
}

/* FIRST and SECOND, joined by the LENGTH characters of WORD; NULL if one of them is not known. */
static struct syntax *join(struct walk *walk, const struct syntax *piece, const char *word,
			   size_t length, struct syntax *first, struct syntax *second)
{
	struct syntax *result;

	if (!first || !second)
		return NULL;
	result = syntax_new(trees(walk), SYNTAX_BINARY, piece->range, 2);
	result->type = type_of_both(first, second);
	result->word = syntax_word(trees(walk), word, length);
	result->parts[0] = first;
	result->parts[1] = second;
	return result;
}

static struct syntax *evaluate_assignment(struct walk *walk, struct syntax *piece)
{
	struct syntax *target = piece->parts[0];
	struct syntax *value = evaluate(walk, piece->parts[1]);
	struct found found = find(walk, target);
	size_t length = strlen(piece->word);

	if (length > 1) /* the operator, and = */
		value = join(walk, piece, piece->word, length - 1, read_at(walk, target, found),
			     value);
	change(walk, target, found, value);
	return convert(walk, value, piece);
}

static struct syntax *evaluate_step(struct walk *walk, struct syntax *piece)
{
	struct syntax *one = syntax_new(trees(walk), SYNTAX_NUMBER, piece->range, 0);
	struct found found = find(walk, piece->parts[0]);
	struct syntax *old = read_at(walk, piece->parts[0], found), *value;
	bool before = piece->range.from < piece->parts[0]->range.from;

	one->word = "1";
	one->type = (struct type){.kind = TYPE_INTEGER, .name = "int"};
	value = join(walk, piece, piece->word, 1, old, one);
	change(walk, piece->parts[0], found, value);
	return before ? convert(walk, value, piece) : old;
}

/* -- calls ------------------------------------------------------------------------------------- */

/* LENGTH bytes at POINTER, as an object. */
static struct syntax *bytes_at(struct walk *walk, struct syntax *pointer, struct syntax *length)
{
	struct syntax *object = syntax_new(trees(walk), SYNTAX_BYTES, (struct range){0}, 2);

	object->parts[0] = pointer;
	object->parts[1] = length;
	return object;
}

/* memset(), memcpy(), memmove(). */
static struct syntax *evaluate_memory(struct walk *walk, struct syntax *piece, bool reads)
{
	struct syntax *to, *from, *length, *object;

	if (piece->count != 3)
		return NULL;
	to = evaluate(walk, piece->parts[0]);
	from = evaluate(walk, piece->parts[1]);
	length = evaluate(walk, piece->parts[2]);
	if (length && value_has_any(length))
		length = NULL; /* a box has one size */
	if (length)
		walk_depend(walk, length, piece->range);
	object = bytes_at(walk, from, length);
	if (reads)
		access_note(walk, SET_READ, piece, object, from && length);
	object = bytes_at(walk, to, length);
	access_note(walk, access_written(walk), piece, object, to && length);
	return to;
}

static void evaluate_parts(struct walk *walk, struct syntax *piece)
{
	for (unsigned int i = 0; i < piece->count; i++)
		evaluate(walk, piece->parts[i]);
}

/* A function of this file: its body, with what its parameters hold. */
static struct syntax *enter_function(struct walk *walk, struct syntax *piece)
{
	const struct syntax_function *function = &trees(walk)->functions.items[piece->function];
	struct syntax **values = memory_new(piece->count * sizeof *values), *value;
	size_t i;

	for (i = 0; i < piece->count; i++)
		values[i] = evaluate(walk, piece->parts[i]);
	for (i = 0; i < walk->functions.count; i++)
		if (walk->functions.items[i] == piece->function)
			break;
	if (i < walk->functions.count || i == CALLS_LIMIT || function->is_variadic ||
	    !function->body || function->parameters.count != piece->count) {
		walk->sets->critical = true;
		walk_stop_unless_said(walk, piece->range, "the calls of '%s' are not followed",
				      piece->word);
		memory_free(values);
		return NULL;
	}
	scope_forget(&walk->scope, trees(walk), function->body);
	for (i = 0; i < piece->count; i++)
		change_variable(walk, function->parameters.items[i], values[i]);
	memory_free(values);
	walk_look_at_directives(walk, function->body->range, 0);
	*list_add(&walk->functions) = piece->function;
	value = walk_callee(walk, function->body);
	walk->functions.count--;
	return convert(walk, value, piece);
}

static bool is_stream(const struct type *type)
{
	return type->name && strstr(type->name, "FILE");
}

/* "text", as it stands there or by a variable. */
static bool is_text(const struct syntax *value)
{
	while (value && value->kind == SYNTAX_CAST)
		value = value->parts[0];
	return value && value->kind == SYNTAX_NUMBER;
}

/* What VALUE, a part of a message, leads to. */
static void note_printed(struct walk *walk, const struct syntax *piece, struct syntax *value)
{
	struct syntax *object;

	if (is_text(value) || is_stream(&piece->type) ||
	    (piece->type.kind != TYPE_POINTER && piece->type.kind != TYPE_ARRAY))
		return;
	object = bytes_at(walk, value, NULL);
	if (access_is_own(walk, object))
		return;
	walk_stop_at(walk, SET_READ, piece->range, "a function that prints reads it", object);
}

static void print_message(struct walk *walk, struct syntax *piece)
{
	for (unsigned int i = 0; i < piece->count; i++)
		note_printed(walk, piece->parts[i], evaluate(walk, piece->parts[i]));
}

static struct syntax *evaluate_call(struct walk *walk, struct syntax *piece)
{
	struct syntax *number = walk->in_pipeline ? followed_number(trees(walk), piece) : NULL;

	if (number)
		return number;
	if (piece->function >= 0)
		return enter_function(walk, piece);
	switch (known_function(piece->word)) {
	case KNOWN_COMPUTES:
		evaluate_parts(walk, piece);
		return NULL;
	case KNOWN_FILLS:
		return evaluate_memory(walk, piece, false);
	case KNOWN_COPIES:
		return evaluate_memory(walk, piece, true);
	case KNOWN_ENDS:
		evaluate_parts(walk, piece);
		return NULL;
	default:
		if (walk->ending && known_prints(piece->word)) {
			print_message(walk, piece);
			return NULL;
		}
		evaluate_parts(walk, piece);
		walk_stop_unless_said(walk, piece->range,
				      "it calls '%s', whose text is not in this file", piece->word);
		return NULL;
	}
}

/* -- all --------------------------------------------------------------------------------------- */

static struct syntax *add_values(struct walk *walk, struct syntax *first, struct syntax *second)
{
	struct syntax *sum;

	if (first->kind == SYNTAX_NUMBER && !strcmp(first->word, "0"))
		return second;
	if (second->kind == SYNTAX_NUMBER && !strcmp(second->word, "0"))
		return first;
	sum = syntax_new(trees(walk), SYNTAX_BINARY, second->range, 2);
	sum->word = "+";
	sum->type = (struct type){.kind = TYPE_INTEGER, .name = "long"};
	sum->parts[0] = first;
	sum->parts[1] = second;
	return sum;
}

/*
 * (&a[i])[j] is a[i + j], (p + i)[j] is p[i + j], *(p + i) is p[i], (p + i)->m is p[i].m, (&s)->m
 * is s.m: for those who read it.
 */
static struct syntax *simplify(struct walk *walk, struct syntax *object)
{
	struct syntax *base = object->parts[0], *inside;

	if (object->kind == SYNTAX_ELEMENT && base->kind == SYNTAX_ADDRESS &&
	    base->parts[0]->kind == SYNTAX_ELEMENT) {
		inside = base->parts[0];
		object->parts[0] = inside->parts[0];
		object->parts[1] = add_values(walk, inside->parts[1], object->parts[1]);
		return simplify(walk, object);
	}
	if (object->kind == SYNTAX_ELEMENT && base->kind == SYNTAX_BINARY && *base->word == '+' &&
	    base->parts[0]->type.kind != TYPE_INTEGER) {
		object->parts[0] = base->parts[0];
		object->parts[1] = add_values(walk, base->parts[1], object->parts[1]);
		return simplify(walk, object);
	}
	if (base->kind == SYNTAX_BINARY && *base->word == '+' &&
	    base->parts[0]->type.kind != TYPE_INTEGER &&
	    (object->kind == SYNTAX_TARGET || (object->kind == SYNTAX_MEMBER && object->arrow))) {
		inside = syntax_new(trees(walk), SYNTAX_ELEMENT, base->range, 2);
		inside->parts[0] = base->parts[0];
		inside->parts[1] = base->parts[1];
		if (object->kind == SYNTAX_TARGET) {
			inside->type = object->type;
			return simplify(walk, inside);
		}
		inside->type.kind = TYPE_RECORD;
		object->arrow = false;
		object->parts[0] = simplify(walk, inside);
		return object;
	}
	if (base->kind == SYNTAX_ADDRESS && object->kind == SYNTAX_TARGET)
		return base->parts[0];
	if (base->kind == SYNTAX_ADDRESS && object->kind == SYNTAX_MEMBER && object->arrow) {
		object->arrow = false;
		object->parts[0] = base->parts[0];
	}
	return object;
}

/* The object that PIECE names; parts that are not known are NULL, and KNOWN becomes false. */
static struct syntax *locate(struct walk *walk, struct syntax *piece, bool *known)
{
	struct syntax *object, *inside;

	if (piece->kind == SYNTAX_VARIABLE)
		return piece;
	object = syntax_copy(trees(walk), piece);
	inside = piece->parts[0];
	if (syntax_is_object(inside) &&
	    (inside->type.kind == TYPE_ARRAY || (piece->kind == SYNTAX_MEMBER && !piece->arrow)))
		object->parts[0] = locate(walk, inside, known);
	else
		object->parts[0] = evaluate(walk, inside);
	*known &= object->parts[0] != NULL;
	if (piece->kind == SYNTAX_ELEMENT) {
		object->parts[1] = evaluate(walk, piece->parts[1]);
		*known &= object->parts[1] != NULL;
	}
	return *known ? simplify(walk, object) : object;
}

/* & of an object: its value is known as far as the object's place is. */
static struct syntax *evaluate_address(struct walk *walk, struct syntax *piece)
{
	struct syntax *result = syntax_copy(trees(walk), piece);
	bool known = true;

	if (!syntax_is_object(piece->parts[0]))
		return combine(walk, piece);
	result->parts[0] = locate(walk, piece->parts[0], &known);
	return known ? result : NULL;
}

/* A type with a value in it must mean the same where the loop begins. */
static struct syntax *evaluate_cast(struct walk *walk, struct syntax *piece)
{
	struct syntax *value = combine(walk, piece);
	bool stands =
		!piece->type.variable_size ||
		(!walk->functions.count && sizes_stand(walk->unit, walk->directive, &piece->type));

	return stands ? value : NULL;
}

static struct syntax *evaluate(struct walk *walk, struct syntax *piece)
{
	switch (piece->kind) {
	case SYNTAX_NUMBER:
		return piece;
	case SYNTAX_VARIABLE:
	case SYNTAX_ELEMENT:
	case SYNTAX_MEMBER:
	case SYNTAX_TARGET:
		return read_at(walk, piece, find(walk, piece));
	case SYNTAX_ADDRESS:
		return evaluate_address(walk, piece);
	case SYNTAX_UNARY:
		return combine(walk, piece);
	case SYNTAX_CAST:
		return evaluate_cast(walk, piece);
	case SYNTAX_STEP:
		return evaluate_step(walk, piece);
	case SYNTAX_BINARY:
		return evaluate_binary(walk, piece);
	case SYNTAX_ASSIGN:
		return evaluate_assignment(walk, piece);
	case SYNTAX_CHOICE:
		return evaluate_choice(walk, piece);
	case SYNTAX_CALL:
		return evaluate_call(walk, piece);
	case SYNTAX_LIST:
		evaluate_parts(walk, piece);
		return NULL;
	default:
		break;
	}
	walk_stop_unless_said(walk, piece->range, "an expression of this kind is not followed");
	return NULL;
}

struct syntax *walk_expression(struct walk *walk, struct syntax *expression)
{
	return evaluate(walk, expression);
}

void walk_declaration(struct walk *walk, struct syntax *declaration)
{
	struct syntax *value = NULL;

	if (declaration->count)
		value = evaluate(walk, declaration->parts[0]);
	if (declaration->automatic)
		change_variable(walk, declaration, value);
}
