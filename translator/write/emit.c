/* SPDX-License-Identifier: GPL-2.0-or-later */
/* emit.c - the translated text as the compiler gets it. */
#include "emit.h"

#include <stdlib.h>
#include <string.h>

#include "outline.h"
#include "plan_text.h"
#include "set_text.h"
#include "task_text.h"
#include "read/unit.h"

static int compare_edits(const void *one, const void *other)
{
	const struct edit *a = one, *b = other;

	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

void emit_sort_edits(struct unit *unit)
{
	if (!unit->source.edits.count)
		return;
	qsort(unit->source.edits.items, unit->source.edits.count, sizeof *unit->source.edits.items,
	      compare_edits);
}

static bool has_atomic(const struct unit *unit)
{
	size_t i;

	for (i = 0; i < unit->directives.list.count; i++)
		if (unit->directives.list.items[i].kind == DIRECTIVE_ATOMIC)
			return true;
	return false;
}

void emit_includes(const struct unit *unit, struct text *out)
{
	text_print(out, "#include <%s>\n", unit->synchronisation.any ? "cape_sync.h" : "cape.h");
	if (has_atomic(unit))
		text_print(out, "#include <cape_atomic.h>\n");
	if (outline_any(unit))
		text_print(out, "#include <cape_outlined.h>\n");
	if (unit->tells_sets)
		text_print(out, "#include <cape_sets.h>\nCAPE_SETS_ASK\n");
	if (unit->tells_plans && plan_text_any(unit))
		text_print(out, "#include <cape_plan.h>\n");
	if (task_any(unit))
		text_print(out, "#include <cape_outlined_tasks.h>\n");
	if (outline_any_thread_local(unit))
		text_print(out, "#include <cape_threadprivate.h>\n");
}

/* Copies [FROM, TO) without what was included from cape.h, which the compiler reads itself. */
static void copy(const struct unit *unit, unsigned int from, unsigned int to, int cape_file,
		 struct text *out)
{
	const struct source *source = &unit->source;
	const struct line *line = source_line_at(source, from);

	if (cape_file < 0 || from == to) {
		text_add(out, source->text.data + from, to - from);
		return;
	}
	for (; from < to; line++) {
		unsigned int end = line + 1 < source->lines.items + source->lines.count
					   ? line[1].offset
					   : (unsigned int)source->text.length;

		if (end > to)
			end = to;
		if ((int)line->file != cape_file || line->marker)
			text_add(out, source->text.data + from, end - from);
		from = end;
	}
}

/* gcc tells the assembler where CAPE_TAKES stands, and does not escape a quotation mark. */
static void add_name(struct text *out, const char *name, bool inserted)
{
	for (; *name; name++)
		text_add_file_name(out, (char[]){inserted && *name == '"' ? '\'' : *name, '\0'});
}

static void write_marker(const struct unit *unit, unsigned int offset, bool inserted,
			 struct text *out)
{
	const struct line *line = source_line_at(&unit->source, offset);
	const char *name = unit->source.files.items[line->file].name;

	text_print(out, "\n# %u \"", line->number);
	add_name(out, name, inserted);
	text_print(out, inserted || line->system ? "\" 3\n" : "\"\n");
	if (!inserted) /* keep the columns of what follows on this line */
		text_print(out, "%*s", (int)(offset - line->offset), "");
}

static void write_edit(const struct unit *unit, const struct edit *edit, struct text *out)
{
	const char *text = edit->text, *end;

	if (!strcmp(edit->text, " ")) { /* something was taken out */
		text_print(out, "%*s", (int)(edit->to - edit->from), "");
		return;
	}
	write_marker(unit, edit->from, true, out);
	for (; *text; text = end) {
		text += strspn(text, "\t");
		end = text + strcspn(text, "\n");
		if (*text == '#') { /* a line of its own */
			text_print(out, "\n%.*s", (int)(end - text), text);
			write_marker(unit, edit->from, true, out);
		} else {
			text_print(out, "%.*s ", (int)(end - text), text);
		}
		end += *end != 0;
	}
	write_marker(unit, edit->to, false, out);
}

void emit_for_compiler(struct unit *unit, const char *cape_header, struct text *out)
{
	const struct source *source = &unit->source;
	unsigned int at = 0;
	int cape_file = -1;
	size_t i;

	for (i = 0; i < source->files.count; i++)
		if (!strcmp(source->files.items[i].name, cape_header))
			cape_file = (int)i;
	emit_sort_edits(unit);
	emit_includes(unit, out);
	for (i = 0; i < source->edits.count; i++) {
		const struct edit *edit = &source->edits.items[i];

		if (edit->from < at)
			continue;
		copy(unit, at, edit->from, cape_file, out);
		write_edit(unit, edit, out);
		at = edit->to;
	}
	copy(unit, at, (unsigned int)source->text.length, cape_file, out);
}
