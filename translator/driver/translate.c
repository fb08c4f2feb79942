/* SPDX-License-Identifier: GPL-2.0-or-later */
/* translate.c - runs the stages; each one only sees a unit that the ones before found correct. */
#include "translate.h"

#include <stdio.h>
#include <string.h>

#include "write/emit.h"
#include "check/quiet.h"
#include "write/rewrite.h"
#include "check/sharing.h"
#include "check/synchronise.h"
#include "check/task.h"
#include "read/unit.h"
#include "check/writes.h"

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

void unit_free(struct unit *unit)
{
	list_free(&unit->statements);
	tree_free(&unit->tree);
	directives_free(&unit->directives);
	source_free(&unit->source);
}

static bool analyse(struct unit *unit, const struct translation *translation)
{
	if (tree_read(unit, translation->standard) < 0) {
		fprintf(stderr, "cape-cc: libclang cannot parse '%s'\n", translation->main_file);
		unit->errors++;
		return false;
	}
	if (unit->tree.errors && !translation->compiler_accepts(translation->context)) {
		unit->errors++;
		return false;
	}
	bind_directives(unit);
	if (unit->errors)
		return false;
	loops_read(unit);
	if (unit->errors)
		return false;
	sharing_resolve(unit);
	if (unit->errors)
		return false;
	sharing_find_shared(unit);
	task_find_labels(unit);
	quiet_find(unit);
	writes_find(unit);
	return !unit->errors;
}

enum translate_result translate(const struct translation *translation, struct text *preprocessed,
				struct text *out)
{
	enum translate_result result = TRANSLATE_FAILED;
	struct unit unit = {0};

	unit.source.text = *preprocessed;
	*preprocessed = (struct text){0};
	source_scan(&unit.source);
	directives_read(&unit);
	synchronise_find(&unit);
	if (unit.errors)
		goto out;
	if (!unit.directives.list.count && !unit.synchronisation.any && !translation->for_reader) {
		result = TRANSLATE_NOTHING;
		goto out;
	}
	if (!analyse(&unit, translation))
		goto out;
	rewrite_unit(&unit);
	if (unit.errors)
		goto out;
	if (translation->for_reader)
		emit_for_reader(&unit, translation->main_file, out);
	else
		emit_for_compiler(&unit, translation->cape_header, out);
	result = TRANSLATE_DONE;
out:
	unit_free(&unit);
	return result;
}
