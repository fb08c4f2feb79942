// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * nodes.c - reading "[NODES:]COMMAND".
 */
#include "nodes.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

const char *nodes_command(const char *text)
{
	size_t length = strspn(text, "0123456789,-");

	return length && text[length] == ':' ? text + length + 1 : text;
}

/* Signs and blanks, which strtol() takes, are none. */
static bool take_number(const char **at, long *number)
{
	char *end;

	if (!isdigit((unsigned char)**at))
		return false;
	*number = strtol(*at, &end, 10);
	*at = end;
	return true;
}

bool nodes_next(const char **at, long *first, long *last)
{
	const char *next = *at;

	if (!take_number(&next, first))
		return false;
	*last = *first;
	if (*next == '-') {
		next++;
		if (!take_number(&next, last))
			return false;
	}
	if (*next != ',' && *next != ':')
		return false;
	*at = next + 1;
	return *first <= *last;
}
