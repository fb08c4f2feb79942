/* SPDX-License-Identifier: GPL-2.0-or-later */
/* emit_reader.c - the translated text as a person wants to read it. */
#include <ctype.h>
#include <string.h>

#include "emit.h"
#include "read/unit.h"

/* A file that is being read: the main file or one that is included. */
struct frame {
	unsigned int file;
	bool shown;	      /* its text is written; else the #include line is, once */
	unsigned int scanned; /* its lines up to this one were looked at, */
	bool in_comment;      /* and left a comment open */
};

/* The indentation that the constructs around an edit give it, found at the first of its edits. */
struct depth {
	unsigned int near;
	unsigned int depth;
};

struct reader {
	struct unit *unit;
	struct text *out;
	LIST(struct frame) frames;
	LIST(unsigned int) returns; /* for each line that enters a file: the line that leaves it */
	unsigned int at;	    /* text before this offset is done */
	size_t edit;		    /* the next one */
	unsigned int last_number;   /* user line that was written last */
	unsigned int depth;	    /* braces that edits have opened */
	LIST(struct depth) depths;
};

static struct frame *top(struct reader *reader)
{
	return &reader->frames.items[reader->frames.count - 1];
}

static unsigned int end_of_line(const struct source *source, size_t line)
{
	return line + 1 < source->lines.count ? source->lines.items[line + 1].offset - 1
					      : (unsigned int)source->text.length;
}

/* The user's own text of a line of the preprocessed text. */
static const char *user_line(struct reader *reader, const struct line *line, size_t *length)
{
	return source_user_line(&reader->unit->source, line->file, line->number, length);
}

static void write_indent(struct reader *reader, const struct line *line, unsigned int depth)
{
	size_t length = 0, i;
	const char *text = user_line(reader, line, &length);

	while (depth--)
		text_add(reader->out, "\t", 1);
	for (i = 0; i < length && (text[i] == ' ' || text[i] == '\t'); i++)
		;
	if (text)
		text_add(reader->out, text, i);
}

static void write_trimmed(struct reader *reader, const struct line *line, const char *text,
			  size_t length)
{
	while (length && isspace((unsigned char)*text)) {
		text++;
		length--;
	}
	while (length && isspace((unsigned char)text[length - 1]))
		length--;
	if (!length)
		return;
	write_indent(reader, line, reader->depth);
	text_add(reader->out, text, length);
	text_add(reader->out, "\n", 1);
}

/* The depth around the construct whose edits share NEAR. */
static unsigned int outer_depth(struct reader *reader, unsigned int near)
{
	struct depth *depth;
	size_t i;

	for (i = reader->depths.count; i-- > 0;)
		if (reader->depths.items[i].near == near)
			return reader->depths.items[i].depth;
	depth = list_add(&reader->depths);
	depth->near = near;
	depth->depth = reader->depth;
	return depth->depth;
}

static void write_block(struct reader *reader, const struct edit *edit)
{
	const struct line *near = source_line_at(&reader->unit->source, edit->near);
	unsigned int outer = outer_depth(reader, edit->near);
	const char *text = edit->text, *brace;

	for (brace = text; *brace; brace++) {
		if (*brace == '{')
			reader->depth++;
		else if (*brace == '}' && reader->depth)
			reader->depth--;
	}
	while (*text) {
		size_t length = strcspn(text, "\n") + 1;

		write_indent(reader, near, outer);
		text_add(reader->out, text, length);
		text += length;
	}
}

/* A line that has edits. */
static void write_edited(struct reader *reader, size_t index)
{
	const struct source *source = &reader->unit->source;
	const struct line *line = &source->lines.items[index];
	unsigned int end = end_of_line(source, index);
	struct text text = {0};

	while (reader->edit < source->edits.count) {
		const struct edit *edit = &source->edits.items[reader->edit];
		size_t length = strlen(edit->text);

		if (edit->from > end)
			break;
		reader->edit++;
		if (edit->from < reader->at)
			continue;
		text_add(&text, source->text.data + reader->at, edit->from - reader->at);
		reader->at = edit->to;
		if (edit->text[length - 1] != '\n') {
			text_add(&text, edit->text, length);
			continue;
		}
		write_trimmed(reader, line, text.data, text.length);
		text.length = 0;
		write_block(reader, edit);
	}
	if (reader->at < end)
		text_add(&text, source->text.data + reader->at, end - reader->at);
	write_trimmed(reader, line, text.data, text.length);
	text_free(&text);
}

/* Adds LINE without its comments; IN_COMMENT tells whether one is open, before and after. */
static void add_code(struct text *code, const char *line, size_t length, bool *in_comment)
{
	char quote = 0;
	size_t i;

	for (i = 0; i < length; i++) {
		char next = i + 1 < length ? line[i + 1] : 0;

		if (*in_comment) {
			if (line[i] == '*' && next == '/') {
				*in_comment = false;
				i++;
			}
			continue;
		}
		if (quote) {
			if (line[i] == '\\' && next)
				text_add(code, &line[i++], 1);
			else if (line[i] == quote)
				quote = 0;
		} else if (line[i] == '/' && (next == '/' || next == '*')) {
			if (next == '/')
				return;
			*in_comment = true;
			i++;
			continue;
		} else if (line[i] == '"' || line[i] == '\'') {
			quote = line[i];
		}
		text_add(code, &line[i], 1);
	}
}

/* The user's line without comments, in CODE; the lines before it tell whether one is open. */
static void read_code(struct reader *reader, const struct line *line, struct text *code)
{
	struct frame *frame = top(reader);
	const char *text;
	size_t length;

	if (frame->scanned >= line->number) { /* a line that is looked at again */
		frame->scanned = 0;
		frame->in_comment = false;
	}
	while (frame->scanned < line->number) {
		code->length = 0;
		text = source_user_line(&reader->unit->source, line->file, ++frame->scanned,
					&length);
		if (text)
			add_code(code, text, length, &frame->in_comment);
	}
}

/* Whether two lines are the same but for white space. */
static bool same_words(const char *one, size_t one_length, const char *other, size_t other_length)
{
	size_t i = 0, j = 0;

	for (;;) {
		while (i < one_length && isspace((unsigned char)one[i]))
			i++;
		while (j < other_length && isspace((unsigned char)other[j]))
			j++;
		if (i == one_length || j == other_length)
			return i == one_length && j == other_length;
		if (one[i++] != other[j++])
			return false;
	}
}

/* Headers depend on macros like _GNU_SOURCE; no other definition is needed any more. */
static bool is_feature_macro(const char *text, size_t length)
{
	size_t i = 0;

	while (i < length && (isspace((unsigned char)text[i]) || text[i] == '#'))
		i++;
	if (length - i < 8 || memcmp(text + i, "define ", 7))
		return false;
	for (i += 7; i < length && isspace((unsigned char)text[i]);)
		i++;
	return i < length && text[i] == '_' && !memchr(text + i, '\\', length - i);
}

/* A line without edits: as the user wrote it, unless macros made it another one. */
static void write_plain(struct reader *reader, size_t index)
{
	const struct source *source = &reader->unit->source;
	const struct line *line = &source->lines.items[index];
	const char *text = source->text.data + reader->at;
	size_t length = end_of_line(source, index) - reader->at, user_length = 0;
	const char *user = user_line(reader, line, &user_length);
	bool blank = same_words(text, length, "", 0);
	struct text code = {0};

	if (blank && line->number <= reader->last_number)
		return;
	if (user)
		read_code(reader, line, &code);
	if (user && (same_words(text, length, code.data, code.length) ||
		     (blank && is_feature_macro(user, user_length)))) {
		if (user_length)
			text_print(reader->out, "%.*s", (int)reader->depth,
				   "\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t");
		text_add(reader->out, user, user_length);
		text_add(reader->out, "\n", 1);
	} else {
		write_trimmed(reader, line, text, length);
	}
	text_free(&code);
}

static void write_line(struct reader *reader, size_t index)
{
	const struct source *source = &reader->unit->source;
	const struct line *line = &source->lines.items[index];
	unsigned int end = end_of_line(source, index);

	if (reader->at < line->offset)
		reader->at = line->offset;
	if (reader->at > end)
		return;
	if (reader->edit < source->edits.count && source->edits.items[reader->edit].from <= end)
		write_edited(reader, index);
	else
		write_plain(reader, index);
	if (reader->at <= end)
		reader->at = end + 1;
	reader->last_number = line->number;
}

/* Pairs the markers that enter and leave a file. */
static void find_returns(struct reader *reader)
{
	const struct source *source = &reader->unit->source;
	LIST(unsigned int) open = {0};
	size_t i;

	for (i = 0; i < source->lines.count; i++) {
		const struct line *line = &source->lines.items[i];

		*list_add(&reader->returns) = (unsigned int)source->lines.count;
		if (line->marker && line->flag == 1)
			*list_add(&open) = (unsigned int)i;
		else if (line->marker && line->flag == 2 && open.count)
			reader->returns.items[open.items[--open.count]] = (unsigned int)i;
	}
	list_free(&open);
}

static bool has_edits(const struct reader *reader, unsigned int from, unsigned int to)
{
	const struct source *source = &reader->unit->source;

	return reader->edit < source->edits.count &&
	       source->edits.items[reader->edit].from >= from &&
	       source->edits.items[reader->edit].from < to;
}

static void write_include(struct reader *reader, size_t index, size_t return_index)
{
	const struct source *source = &reader->unit->source;
	const char *name = source->files.items[source->lines.items[index].file].name;
	size_t length = 0;
	const char *text;

	if (return_index >= source->lines.count)
		return;
	if (source->files.items[top(reader)->file].name[0] == '<') { /* the -include option */
		if (name[0] != '<' && !source->lines.items[index].system)
			text_print(reader->out, "#include \"%s\"\n", name);
		return;
	}
	text = source_user_line(&reader->unit->source, top(reader)->file,
				source->lines.items[return_index].number - 1, &length);
	if (text)
		text_print(reader->out, "%.*s\n", (int)length, text);
	reader->last_number = source->lines.items[return_index].number - 1;
}

static void read_marker(struct reader *reader, size_t index, unsigned int main_file)
{
	const struct source *source = &reader->unit->source;
	const struct line *line = &source->lines.items[index];
	size_t return_index = reader->returns.items[index];
	struct frame frame = {.file = line->file};

	if (line->flag == 2 && reader->frames.count > 1)
		reader->frames.count--;
	if (line->flag != 1) {
		if (top(reader)->file != line->file)
			top(reader)->scanned = 0;
		top(reader)->file = line->file;
		if (reader->frames.count == 1)
			top(reader)->shown = line->file == main_file;
		reader->last_number = line->number - 1;
		return;
	}
	frame.shown = top(reader)->shown && !line->system &&
		      has_edits(reader, line->offset,
				return_index < source->lines.count
					? source->lines.items[return_index].offset
					: (unsigned int)source->text.length);
	if (!frame.shown &&
	    (top(reader)->shown ||
	     (reader->frames.count == 1 && source->files.items[top(reader)->file].name[0] == '<')))
		write_include(reader, index, return_index);
	reader->last_number = 0;
	*list_add(&reader->frames) = frame;
}

void emit_for_reader(struct unit *unit, const char *main_file, struct text *out)
{
	struct reader reader = {.unit = unit, .out = out};
	const struct source *source = &unit->source;
	unsigned int main_index = (unsigned int)-1;
	size_t i;

	for (i = 0; i < source->files.count; i++)
		if (!strcmp(source->files.items[i].name, main_file))
			main_index = (unsigned int)i;
	emit_sort_edits(unit);
	find_returns(&reader);
	list_add(&reader.frames)->file = 0;
	emit_includes(unit, out);
	for (i = 0; i < source->lines.count; i++) {
		if (source->lines.items[i].marker)
			read_marker(&reader, i, main_index);
		else if (top(&reader)->shown)
			write_line(&reader, i);
	}
	list_free(&reader.depths);
	list_free(&reader.frames);
	list_free(&reader.returns);
}
