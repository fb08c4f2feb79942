/* SPDX-License-Identifier: GPL-2.0-or-later */
/* value.h - expressions of iterators, of what does not change, and of memory. */
#ifndef CAPE_TRANSLATOR_VALUE_H
#define CAPE_TRANSLATOR_VALUE_H

#include <stdbool.h>

#include "read/syntax.h"
#include "read/text.h"

/* Prints what stands for the value of ITERATOR. */
typedef void print_iterator(void *context, struct text *text, unsigned int iterator);

/* Adds VALUE as C. */
void value_print(struct text *text, const struct syntax *value, print_iterator *print,
		 void *context);

/* Whether two values are of the same variables and members, whatever numbers stand in them. */
bool value_is_same(const struct syntax *one, const struct syntax *other);

/* Whether OBJECT is a pointer in memory, as those of a list of rows. */
bool value_is_row(const struct syntax *object);

/* Whether OBJECT has a value of eight bytes at most that can be read at its address. */
bool value_is_word(const struct syntax *object);

/* What is read by cape_plan_row(). */
enum value_rows {
	VALUE_ROWS_NONE,
	VALUE_ROWS_POINTERS, /* value_is_row() */
	VALUE_ROWS_ALL,	     /* value_is_word(), but for variables on the stack */
};

/* value_print() of what is read so; place: of an object that is not read itself. */
void value_print_rows(struct text *text, const struct syntax *value, enum value_rows rows,
		      print_iterator *print, void *context);
void value_print_place(struct text *text, const struct syntax *object, enum value_rows rows,
		       print_iterator *print, void *context);

/* Whether it depends on the iterator; on any. */
bool value_has(const struct syntax *value, unsigned int iterator);
bool value_has_any(const struct syntax *value);

/*
 * Whether the value, or the address of an object, is a constant plus a constant times the iterator,
 * but for what does not fit into its type.
 */
bool value_is_affine(const struct syntax *value, unsigned int iterator);
bool value_has_affine_address(const struct syntax *object, unsigned int iterator);

#endif
