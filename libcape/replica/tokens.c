/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * tokens.c - strtok() with the place where it goes on in shared memory, where every node finds it.
 */
#include <string.h>
#include "base/context.h"

char *__strtok_r(char *restrict text, const char *restrict separators, char **restrict next);

CAPE_FUNCTION(char *, strtok, (char *restrict text, const char *restrict separators))
{
	static char *next;

	return __strtok_r(text, separators, &next);
}
