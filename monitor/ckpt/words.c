// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * words.c - the names of types and operators, on the command line and in what is shown.
 */
#include <string.h>
#include "command.h"

static const char *const type_name[] = {
	[CAPE_BOOL] = "bool",
	[CAPE_CHAR] = "char",
	[CAPE_SIGNED_CHAR] = "signed-char",
	[CAPE_UNSIGNED_CHAR] = "unsigned-char",
	[CAPE_SHORT] = "short",
	[CAPE_UNSIGNED_SHORT] = "unsigned-short",
	[CAPE_INT] = "int",
	[CAPE_UNSIGNED_INT] = "unsigned-int",
	[CAPE_LONG] = "long",
	[CAPE_UNSIGNED_LONG] = "unsigned-long",
	[CAPE_LONG_LONG] = "long-long",
	[CAPE_UNSIGNED_LONG_LONG] = "unsigned-long-long",
	[CAPE_FLOAT] = "float",
	[CAPE_DOUBLE] = "double",
	[CAPE_LONG_DOUBLE] = "long-double",
	[CAPE_COMPLEX_FLOAT] = "complex-float",
	[CAPE_COMPLEX_DOUBLE] = "complex-double",
	[CAPE_COMPLEX_LONG_DOUBLE] = "complex-long-double",
};

static const char *const operator_name[] = {
	[CAPE_ADD] = "+",	  [CAPE_MULTIPLY] = "*", [CAPE_BIT_AND] = "&",
	[CAPE_BIT_OR] = "|",	  [CAPE_BIT_XOR] = "^",	 [CAPE_LOGICAL_AND] = "&&",
	[CAPE_LOGICAL_OR] = "||", [CAPE_MIN] = "min",	 [CAPE_MAX] = "max",
};

#define COUNT(names) (sizeof(names) / sizeof(names[0]))

/* Of COUNT names; COUNT: it is none. */
static size_t find(const char *const *name, size_t count, const char *text)
{
	size_t i = 0;

	while (i < count && strcmp(text, name[i]) != 0)
		i++;
	return i;
}

bool command_type(const char *text, enum cape_type *type)
{
	size_t i = find(type_name, COUNT(type_name), text);

	*type = (enum cape_type)i;
	return i < COUNT(type_name);
}

bool command_operator(const char *text, enum cape_operator *op)
{
	size_t i = find(operator_name, COUNT(operator_name), text);

	*op = (enum cape_operator)i;
	return i < COUNT(operator_name);
}

const char *command_type_name(enum cape_type type)
{
	return (size_t)type < COUNT(type_name) ? type_name[type] : "unknown";
}

const char *command_operator_name(enum cape_operator op)
{
	return (size_t)op < COUNT(operator_name) ? operator_name[op] : "unknown";
}
