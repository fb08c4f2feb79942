// SPDX-License-Identifier: GPL-2.0-or-later
/* report.c - errors and warnings, with the user's line below. */
#include "report.h"

#include <stdarg.h>
#include <stdio.h>

#include "unit.h"

static void report(struct unit *unit, unsigned int offset, const char *kind, const char *format,
		   va_list arguments)
{
	struct place place = source_place(&unit->source, offset);
	const struct line *line = source_line_at(&unit->source, offset);
	size_t length = 0, i;
	const char *text = source_user_line(&unit->source, line->file, place.line, &length);

	fprintf(stderr, "%s:%u:%u: %s: ", place.file, place.line, place.column, kind);
	vfprintf(stderr, format, arguments);
	fputc('\n', stderr);
	if (!text)
		return;
	fprintf(stderr, "%5u | %.*s\n      | ", place.line, (int)length, text);
	for (i = 0; i + 1 < place.column && i < length; i++)
		fputc(text[i] == '\t' ? '\t' : ' ', stderr);
	fputs("^\n", stderr);
}

void report_error(struct unit *unit, unsigned int offset, const char *format, ...)
{
	va_list arguments;

	unit->errors++;
	va_start(arguments, format);
	report(unit, offset, "error", format, arguments);
	va_end(arguments);
}

void report_warning(struct unit *unit, unsigned int offset, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	report(unit, offset, "warning", format, arguments);
	va_end(arguments);
}
