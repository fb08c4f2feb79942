// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * complain.c - lines to the user.
 */
#include "complain.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static void say(const char *format, va_list list)
{
	int saved_errno = errno;
	char *line = NULL;

	if (vasprintf(&line, format, list) < 0)
		line = NULL;
	fprintf(stderr, "cape-run: %s\n", line ? line : "out of memory");
	fflush(stderr);
	free(line);
	errno = saved_errno;
}

bool complain(const char *format, ...)
{
	va_list list;

	va_start(list, format);
	say(format, list);
	va_end(list);
	return false;
}

void inform(const char *format, ...)
{
	va_list list;

	va_start(list, format);
	say(format, list);
	va_end(list);
}
