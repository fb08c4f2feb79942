// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * words.c - the names of types and operators on the command line.
 */
#include <string.h>
#include "command.h"

bool command_type(const char *text, enum cape_type *type)
{
	static const char *const name[] = {
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

	for (size_t i = 0; i < sizeof(name) / sizeof(name[0]); i++) {
		*type = (enum cape_type)i;
		if (strcmp(text, name[i]) == 0)
			return true;
	}
	return false;
}

bool command_operator(const char *text, enum cape_operator *op)
{
	static const char *const name[] = {
		[CAPE_ADD] = "+",	  [CAPE_MULTIPLY] = "*", [CAPE_BIT_AND] = "&",
		[CAPE_BIT_OR] = "|",	  [CAPE_BIT_XOR] = "^",	 [CAPE_LOGICAL_AND] = "&&",
		[CAPE_LOGICAL_OR] = "||", [CAPE_MIN] = "min",	 [CAPE_MAX] = "max",
	};

	for (size_t i = 0; i < sizeof(name) / sizeof(name[0]); i++) {
		*op = (enum cape_operator)i;
		if (strcmp(text, name[i]) == 0)
			return true;
	}
	return false;
}
