/* SPDX-License-Identifier: GPL-2.0-or-later */
/* value.c - expressions of iterators, of what does not change, and of memory. */
#include "value.h"

#include <string.h>

struct printer {
	struct text *text;
	print_iterator *print;
	void *context;
	enum value_rows rows;
};

/* How strongly a piece holds its parts together, as in C's grammar; larger is more. */
enum strength {
	STRENGTH_CHOICE = 1,
	STRENGTH_OR,
	STRENGTH_AND,
	STRENGTH_BIT_OR,
	STRENGTH_BIT_XOR,
	STRENGTH_BIT_AND,
	STRENGTH_EQUAL,
	STRENGTH_ORDER,
	STRENGTH_SHIFT,
	STRENGTH_SUM,
	STRENGTH_PRODUCT,
	STRENGTH_UNARY,
	STRENGTH_POSTFIX,
};

static enum strength strength_of_operator(const char *word)
{
	static const struct {
		const char *word;
		enum strength strength;
	} operators[] = {
		{"*", STRENGTH_PRODUCT}, {"/", STRENGTH_PRODUCT}, {"%", STRENGTH_PRODUCT},
		{"+", STRENGTH_SUM},	 {"-", STRENGTH_SUM},	  {"<<", STRENGTH_SHIFT},
		{">>", STRENGTH_SHIFT},	 {"<", STRENGTH_ORDER},	  {">", STRENGTH_ORDER},
		{"<=", STRENGTH_ORDER},	 {">=", STRENGTH_ORDER},  {"==", STRENGTH_EQUAL},
		{"!=", STRENGTH_EQUAL},	 {"&", STRENGTH_BIT_AND}, {"^", STRENGTH_BIT_XOR},
		{"|", STRENGTH_BIT_OR},	 {"&&", STRENGTH_AND},	  {"||", STRENGTH_OR},
	};

	for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
		if (!strcmp(operators[i].word, word))
			return operators[i].strength;
	return STRENGTH_CHOICE;
}

static enum strength strength_of(const struct syntax *value)
{
	switch (value->kind) {
	case SYNTAX_BINARY:
		return strength_of_operator(value->word);
	case SYNTAX_CHOICE:
		return STRENGTH_CHOICE;
	case SYNTAX_UNARY:
	case SYNTAX_CAST:
	case SYNTAX_ADDRESS:
	case SYNTAX_TARGET:
		return STRENGTH_UNARY;
	default:
		return STRENGTH_POSTFIX;
	}
}

static void print(const struct printer *printer, const struct syntax *value, enum strength around);
static bool is_by_row(const struct printer *printer, const struct syntax *value);

static void print_inside(const struct printer *printer, const struct syntax *value,
			 enum strength own)
{
	struct text *text = printer->text;

	switch (value->kind) {
	case SYNTAX_ITERATOR:
		printer->print(printer->context, text, value->iterator);
		return;
	case SYNTAX_ELEMENT:
		print(printer, value->parts[0], own);
		text_print(text, "[");
		print(printer, value->parts[1], 0);
		text_print(text, "]");
		return;
	case SYNTAX_MEMBER:
		print(printer, value->parts[0], own);
		text_print(text, "%s%s", value->arrow ? "->" : ".", value->word);
		return;
	case SYNTAX_ADDRESS:
		text_print(text, "%s", value->word);
		if (is_by_row(printer, value->parts[0])) {
			text_print(text, "(");
			print_inside(printer, value->parts[0], strength_of(value->parts[0]));
			text_print(text, ")");
			return;
		}
		print(printer, value->parts[0], STRENGTH_POSTFIX);
		return;
	case SYNTAX_TARGET:
	case SYNTAX_UNARY:
		text_print(text, "%s", value->word);
		print(printer, value->parts[0], STRENGTH_POSTFIX);
		return;
	case SYNTAX_BYTES:
		text_print(text, "(*(char (*)[");
		print(printer, value->parts[1], 0);
		text_print(text, "])");
		print(printer, value->parts[0], STRENGTH_POSTFIX);
		text_print(text, ")");
		return;
	case SYNTAX_CAST:
		text_print(text, "(%s)", value->type.name);
		print(printer, value->parts[0], STRENGTH_POSTFIX);
		return;
	case SYNTAX_BINARY:
		print(printer, value->parts[0], own);
		text_print(text, " %s ", value->word);
		print(printer, value->parts[1], own + 1);
		return;
	case SYNTAX_CHOICE:
		print(printer, value->parts[0], own + 1);
		text_print(text, " ? ");
		print(printer, value->parts[1], own + 1);
		text_print(text, " : ");
		print(printer, value->parts[2], own + 1);
		return;
	default:
		text_print(text, "%s", value->word);
		return;
	}
}

bool value_is_row(const struct syntax *object)
{
	return syntax_is_object(object) && object->kind != SYNTAX_VARIABLE &&
	       object->type.kind == TYPE_POINTER && !object->type.is_volatile &&
	       !object->type.is_atomic && !object->type.variable_size;
}

bool value_is_word(const struct syntax *object)
{
	const char *name = object->type.name ? object->type.name : "";

	if (!syntax_is_object(object) || object->type.is_volatile || object->type.is_atomic ||
	    object->type.bit_field)
		return false;
	return (object->type.kind == TYPE_INTEGER && !strstr(name, "int128") &&
		!strstr(name, "_BitInt")) ||
	       object->type.kind == TYPE_POINTER || !strcmp(name, "double") ||
	       !strcmp(name, "float") || !strcmp(name, "const double") ||
	       !strcmp(name, "const float");
}

static bool is_by_row(const struct printer *printer, const struct syntax *value)
{
	if (printer->rows != VALUE_ROWS_ALL)
		return printer->rows && value_is_row(value);
	return value_is_word(value) && !value->type.variable_size &&
	       (value->kind != SYNTAX_VARIABLE || !value->automatic);
}

static void print_row(const struct printer *printer, const struct syntax *row)
{
	const struct printer plain = {printer->text, printer->print, printer->context,
				      VALUE_ROWS_NONE};

	text_print(printer->text, "cape_plan_row(");
	print(&plain, row, 0);
	text_print(printer->text, ", &");
	print_inside(printer, row, strength_of(row));
	text_print(printer->text, ")");
}

static void print(const struct printer *printer, const struct syntax *value, enum strength around)
{
	enum strength own = strength_of(value);

	if (is_by_row(printer, value)) {
		print_row(printer, value);
		return;
	}
	if (own < around)
		text_print(printer->text, "(");
	print_inside(printer, value, own);
	if (own < around)
		text_print(printer->text, ")");
}

void value_print(struct text *text, const struct syntax *value, print_iterator *print_one,
		 void *context)
{
	value_print_rows(text, value, VALUE_ROWS_NONE, print_one, context);
}

void value_print_rows(struct text *text, const struct syntax *value, enum value_rows rows,
		      print_iterator *print_one, void *context)
{
	print(&(struct printer){text, print_one, context, rows}, value, 0);
}

void value_print_place(struct text *text, const struct syntax *object, enum value_rows rows,
		       print_iterator *print_one, void *context)
{
	print_inside(&(struct printer){text, print_one, context, rows}, object,
		     strength_of(object));
}

bool value_has_any(const struct syntax *value)
{
	return syntax_has(value, SYNTAX_ITERATOR, SYNTAX_ITERATOR);
}

bool value_is_same(const struct syntax *one, const struct syntax *other)
{
	if (one->kind != other->kind || one->count != other->count ||
	    (one->kind == SYNTAX_VARIABLE && one->declaration != other->declaration) ||
	    (one->kind == SYNTAX_MEMBER && strcmp(one->word, other->word) != 0))
		return false;
	for (unsigned int i = 0; i < one->count; i++)
		if (!value_is_same(one->parts[i], other->parts[i]))
			return false;
	return true;
}

bool value_has(const struct syntax *value, unsigned int iterator)
{
	if (value->kind == SYNTAX_ITERATOR && value->iterator == iterator)
		return true;
	for (unsigned int i = 0; i < value->count; i++)
		if (value_has(value->parts[i], iterator))
			return true;
	return false;
}

static bool is_word(const struct syntax *value, const char *words)
{
	return value->word[1] == '\0' && strchr(words, *value->word);
}

/* Whether an iterator besides that one stands in VALUE. */
static bool has_another(const struct syntax *value, unsigned int iterator)
{
	if (value->kind == SYNTAX_ITERATOR)
		return value->iterator != iterator;
	for (unsigned int i = 0; i < value->count; i++)
		if (has_another(value->parts[i], iterator))
			return true;
	return false;
}

/* Whether values can begin again at the end of what the type has. */
static bool may_wrap(const struct syntax *value)
{
	if (value->type.kind != TYPE_INTEGER || type_width(&value->type) == 8)
		return false;
	return value->kind == SYNTAX_CAST
		       ? type_width(&value->parts[0]->type) > type_width(&value->type) ||
				 type_is_unsigned(&value->type)
		       : type_is_unsigned(&value->type);
}

/* Of a value that depends on the iterator. */
static bool depends_affinely(const struct syntax *value, unsigned int iterator)
{
	/* For one alone that is found at run time. */
	if (value->kind != SYNTAX_ITERATOR && may_wrap(value) && has_another(value, iterator))
		return false;
	switch (value->kind) {
	case SYNTAX_ITERATOR:
		return true;
	case SYNTAX_UNARY:
		return is_word(value, "+-") && value_is_affine(value->parts[0], iterator);
	case SYNTAX_CAST:
		return (value->type.kind == TYPE_INTEGER || value->type.kind == TYPE_POINTER) &&
		       value->parts[0]->type.kind != TYPE_FLOATING &&
		       value_is_affine(value->parts[0], iterator);
	case SYNTAX_BINARY:
		if (value->type.kind == TYPE_FLOATING || !is_word(value, "+-*"))
			return false;
		if (is_word(value, "*"))
			return (!value_has(value->parts[0], iterator) ||
				!value_has(value->parts[1], iterator)) &&
			       value_is_affine(value->parts[0], iterator) &&
			       value_is_affine(value->parts[1], iterator);
		return value_is_affine(value->parts[0], iterator) &&
		       value_is_affine(value->parts[1], iterator);
	case SYNTAX_ADDRESS:
		return value_has_affine_address(value->parts[0], iterator);
	default:
		/* The name of an array is its address; all else is read from memory. */
		return syntax_is_object(value) && value->type.kind == TYPE_ARRAY &&
		       value_has_affine_address(value, iterator);
	}
}

bool value_is_affine(const struct syntax *value, unsigned int iterator)
{
	return !value_has(value, iterator) || depends_affinely(value, iterator);
}

bool value_has_affine_address(const struct syntax *object, unsigned int iterator)
{
	if (!value_has(object, iterator))
		return true;
	switch (object->kind) {
	case SYNTAX_ELEMENT:
		return value_is_affine(object->parts[0], iterator) &&
		       value_is_affine(object->parts[1], iterator);
	case SYNTAX_MEMBER:
		return object->arrow ? value_is_affine(object->parts[0], iterator)
				     : value_has_affine_address(object->parts[0], iterator);
	case SYNTAX_TARGET:
		return value_is_affine(object->parts[0], iterator);
	case SYNTAX_BYTES:
		return value_is_affine(object->parts[0], iterator) &&
		       !value_has(object->parts[1], iterator);
	default:
		return false;
	}
}
