/* SPDX-License-Identifier: GPL-2.0-or-later */
/* source.c - preprocessed text: tokens, line map, edits. */
#include "source.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static unsigned int file_index(struct source *source, const char *name, size_t length)
{
	struct source_file *file;
	size_t i;

	for (i = source->files.count; i-- > 0;) {
		file = &source->files.items[i];
		if (strlen(file->name) == length && !memcmp(file->name, name, length))
			return (unsigned int)i;
	}
	file = list_add(&source->files);
	file->name = format_text("%.*s", (int)length, name);
	return (unsigned int)(source->files.count - 1);
}

/* Reads `# 12 "name" flags`; the line that follows gets what it says. */
static bool read_marker(struct source *source, const char *text, struct line *marker,
			struct line *next)
{
	struct text name = {0};
	char *end;
	unsigned long number;

	text++;
	if (!strncmp(text, "line", 4))
		text += 4;
	number = strtoul(text, &end, 10);
	if (end == text || end[0] != ' ' || end[1] != '"')
		return false;
	for (text = end + 2; *text && *text != '"' && *text != '\n'; text++) {
		char octal[4] = {0}, byte = *text;

		if (*text == '\\' && text[1] >= '0' && text[1] <= '3') {
			strncpy(octal, text + 1, 3);
			byte = (char)strtoul(octal, NULL, 8);
			text += 3;
		} else if (*text == '\\' && text[1]) {
			byte = *++text == 'n' ? '\n' : *text;
		}
		text_add(&name, &byte, 1);
	}
	next->number = (unsigned int)number;
	next->file = file_index(source, name.data ? name.data : "", name.length);
	text_free(&name);
	next->system = false;
	marker->marker = true;
	for (text++; *text && *text != '\n'; text++) {
		if (*text == '1' || *text == '2')
			marker->flag = *text - '0';
		else if (*text == '3')
			next->system = true;
	}
	return true;
}

static void scan_lines(struct source *source)
{
	struct line state = {.number = 1, .file = file_index(source, "", 0)};
	const char *text = source->text.data;
	unsigned int at = 0;

	while (at < source->text.length) {
		const char *end = strchr(text + at, '\n');
		struct line *line = list_add(&source->lines);
		struct line next = state;

		*line = state;
		line->offset = at;
		next.number++;
		if (text[at] == '#')
			read_marker(source, text + at, line, &next);
		if (line->marker) { /* it belongs to what it announces */
			line->number = next.number;
			line->file = next.file;
			line->system = next.system;
		}
		state = next;
		at = end ? (unsigned int)(end - text) + 1 : (unsigned int)source->text.length;
	}
}

static const char *const punctuators[] = {
	"<<=", ">>=", "...", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=",
	"&&",  "||",  "*=",  "/=", "%=", "+=", "-=", "&=", "^=", "|=", NULL,
};

static unsigned int punctuator_length(const char *text)
{
	int i;

	for (i = 0; punctuators[i]; i++)
		if (!strncmp(text, punctuators[i], strlen(punctuators[i])))
			return (unsigned int)strlen(punctuators[i]);
	return 1;
}

static bool is_name_part(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$' || (c & 0x80);
}

static unsigned int string_length(const char *text, unsigned int room)
{
	unsigned int length = 1;

	while (length < room && text[length] != text[0] && text[length] != '\n')
		length += text[length] == '\\' && length + 1 < room ? 2 : 1;
	return length < room && text[length] == text[0] ? length + 1 : length;
}

static unsigned int number_length(const char *text, unsigned int room)
{
	unsigned int length = 1;

	while (length < room &&
	       (is_name_part(text[length]) || text[length] == '.' ||
		((text[length] == '+' || text[length] == '-') && strchr("eEpP", text[length - 1]))))
		length++;
	return length;
}

static void read_token(const char *text, unsigned int room, struct token *token)
{
	unsigned int length = 1;

	if (isdigit((unsigned char)text[0]) ||
	    (text[0] == '.' && isdigit((unsigned char)text[1]))) {
		token->kind = TOKEN_NUMBER;
		length = number_length(text, room);
	} else if (is_name_part(text[0])) {
		token->kind = TOKEN_NAME;
		while (length < room && is_name_part(text[length]))
			length++;
	} else if (text[0] == '"' || text[0] == '\'') {
		token->kind = TOKEN_STRING;
		length = string_length(text, room);
	} else {
		token->kind = TOKEN_PUNCTUATOR;
		length = punctuator_length(text);
	}
	token->length = length;
}

/* Comments remain in the text when the user preprocesses with -C. */
static unsigned int comment_length(const char *text, unsigned int room)
{
	const char *end;

	if (text[0] != '/')
		return 0;
	if (text[1] == '*')
		end = strstr(text + 2, "*/");
	else if (text[1] == '/')
		end = strchr(text, '\n');
	else
		return 0;
	if (!end || end - text >= (long)room)
		return room;
	return (unsigned int)(end - text) + (text[1] == '*' ? 2 : 0);
}

/* Digraphs become what they stand for and a space: no later stage has to know of them. */
static void replace_digraph(char *text)
{
	static const char *const digraphs[] = {"<%{", "%>}", "<:[", ":>]", NULL};
	int i;

	for (i = 0; digraphs[i]; i++)
		if (!strncmp(text, digraphs[i], 2)) {
			text[0] = digraphs[i][2];
			text[1] = ' ';
			return;
		}
}

typedef LIST(unsigned int) index_list;

static void match_bracket(token_list *list, index_list *open, char bracket)
{
	unsigned int self = (unsigned int)list->count - 1;

	if (strchr("([{", bracket)) {
		*list_add(open) = self;
	} else if (strchr(")]}", bracket) && open->count) {
		unsigned int other = open->items[--open->count];

		list->items[self].match = other;
		list->items[other].match = self;
	}
}

bool source_is_pragma(const char *text, const char *name)
{
	const char *const words[] = {"#", "pragma", name};
	size_t i;

	for (i = 0; i < 3; i++) {
		while (*text == ' ' || *text == '\t')
			text++;
		if (strncmp(text, words[i], strlen(words[i])))
			return false;
		text += strlen(words[i]);
	}
	return !is_name_part(*text);
}

/* Where LINES is set, lines that begin with # are not tokens, but for OpenMP pragmas. */
static void lex(struct source *source, struct range range, bool lines, token_list *list)
{
	const char *text = source->text.data;
	unsigned int at = range.from;
	index_list open = {0};
	bool line_start = lines;

	while (at < range.to) {
		unsigned int room = range.to - at, skip = comment_length(text + at, room);
		struct token *token;
		struct range *pragma;

		if (text[at] == '\n')
			line_start = lines;
		if (isspace((unsigned char)text[at]))
			skip = 1;
		if (line_start && text[at] == '#') {
			skip = (unsigned int)strcspn(text + at, "\n");
			if (source_is_pragma(text + at, "omp")) {
				token = list_add(list);
				*token = (struct token){at, skip, TOKEN_DIRECTIVE, NO_MATCH};
			} else if (source_is_pragma(text + at, "cape")) {
				pragma = list_add(&source->pragmas);
				*pragma = (struct range){at, at + skip};
			}
		}
		if (skip) {
			at += skip;
			continue;
		}
		line_start = false;
		token = list_add(list);
		token->offset = at;
		token->match = NO_MATCH;
		if (room > 1)
			replace_digraph(source->text.data + at);
		read_token(text + at, room, token);
		at += token->length;
		if (token->kind == TOKEN_PUNCTUATOR && token->length == 1)
			match_bracket(list, &open, text[token->offset]);
	}
	list_free(&open);
}

void source_lex_line(struct source *source, struct range line, token_list *list)
{
	lex(source, line, false, list);
}

void source_scan(struct source *source)
{
	struct range all = {0, (unsigned int)source->text.length};

	scan_lines(source);
	lex(source, all, true, &source->tokens);
}

void source_free(struct source *source)
{
	size_t i;

	for (i = 0; i < source->files.count; i++) {
		free(source->files.items[i].name);
		text_free(&source->files.items[i].text);
		list_free(&source->files.items[i].starts);
	}
	for (i = 0; i < source->edits.count; i++)
		free(source->edits.items[i].text);
	list_free(&source->files);
	list_free(&source->edits);
	list_free(&source->lines);
	list_free(&source->tokens);
	list_free(&source->pragmas);
	text_free(&source->text);
}

unsigned int source_token_at(const struct source *source, unsigned int offset)
{
	size_t low = 0, high = source->tokens.count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (source->tokens.items[middle].offset < offset)
			low = middle + 1;
		else
			high = middle;
	}
	return (unsigned int)low;
}

unsigned int source_declaration_end(const struct source *source, unsigned int offset)
{
	unsigned int at = source_token_at(source, offset);

	while (at + 1 < source->tokens.count && !token_is(source, &source->tokens.items[at], ";")) {
		unsigned int match = source->tokens.items[at].match;

		at = match != NO_MATCH && match > at ? match + 1 : at + 1;
	}
	return token_end(&source->tokens.items[at]);
}

const struct line *source_line_at(const struct source *source, unsigned int offset)
{
	size_t low = 0, high = source->lines.count;

	while (high - low > 1) {
		size_t middle = (low + high) / 2;

		if (source->lines.items[middle].offset <= offset)
			low = middle;
		else
			high = middle;
	}
	return &source->lines.items[low];
}

static void load_user_file(struct source_file *file)
{
	size_t i;

	if (file->tried)
		return;
	file->tried = true;
	if (text_read(&file->text, file->name) < 0)
		return;
	*list_add(&file->starts) = 0;
	for (i = 0; i < file->text.length; i++)
		if (file->text.data[i] == '\n')
			*list_add(&file->starts) = (unsigned int)i + 1;
}

const char *source_user_line(struct source *source, unsigned int file_number, unsigned int number,
			     size_t *length)
{
	struct source_file *file = &source->files.items[file_number];
	const char *line;

	load_user_file(file);
	if (number < 1 || number > file->starts.count)
		return NULL;
	line = file->text.data + file->starts.items[number - 1];
	*length = strcspn(line, "\r\n");
	return line;
}

/* The N-th time that WORD stands as a whole token in a line, as a column; 0 if it does not. */
static unsigned int find_word(const char *line, size_t length, const char *word,
			      unsigned int word_length, unsigned int *nth)
{
	size_t at = 0;

	while (at < length) {
		struct token token = {0};

		if (isspace((unsigned char)line[at])) {
			at++;
			continue;
		}
		token.length = comment_length(line + at, (unsigned int)(length - at));
		if (token.length) {
			at += token.length;
			continue;
		}
		read_token(line + at, (unsigned int)(length - at), &token);
		if (token.length == word_length && !memcmp(line + at, word, word_length) &&
		    !(*nth)--)
			return (unsigned int)at + 1;
		at += token.length;
	}
	return 0;
}

/* How often the spelling of TOKEN occurs before it on its own preprocessed line. */
static unsigned int earlier_on_line(const struct source *source, const struct line *line,
				    const char *word, unsigned int length, unsigned int offset)
{
	const char *text = source->text.data;
	unsigned int at = line->offset, count = 0;

	while (at < offset) {
		struct token token = {0};

		if (isspace((unsigned char)text[at])) {
			at++;
			continue;
		}
		read_token(text + at, offset - at, &token);
		count += token.length == length && !memcmp(text + at, word, length);
		at += token.length;
	}
	return count;
}

struct place source_place(struct source *source, unsigned int offset)
{
	const struct line *line = source_line_at(source, offset);
	const char *word = source->text.data + offset;
	struct place place = {source->files.items[line->file].name, line->number,
			      offset - line->offset + 1, line->system};
	unsigned int number = line->number, nth, column;
	struct token token = {0};
	size_t length;
	const char *user;

	read_token(word, (unsigned int)(source->text.length - offset), &token);
	if (token.length > 10 && !memcmp(word, "__builtin_", 10)) { /* by a macro, often */
		word += 10;
		token.length -= 10;
	}
	nth = earlier_on_line(source, line, word, token.length, offset);
	do { /* a directive may go on after a backslash */
		user = source_user_line(source, line->file, number, &length);
		if (!user)
			return place;
		if (number == line->number) /* where macros hide it, the line has to do */
			place.column = (unsigned int)strspn(user, " \t") + 1;
		column = find_word(user, length, word, token.length, &nth);
		if (column) {
			place.line = number;
			place.column = column;
			return place;
		}
		number++;
	} while (length && user[length - 1] == '\\');
	return place;
}

bool token_is(const struct source *source, const struct token *token, const char *word)
{
	size_t length = strlen(word);

	return token->length == length && !memcmp(source->text.data + token->offset, word, length);
}

bool token_is_cleanup(const struct source *source, const struct token *token)
{
	return token_is(source, token, "cleanup") || token_is(source, token, "__cleanup__");
}

bool token_same(const struct source *source, const struct token *one, const struct token *other)
{
	return one->length == other->length &&
	       !memcmp(source->text.data + one->offset, source->text.data + other->offset,
		       one->length);
}

void source_copy(const struct source *source, struct range range, struct text *text)
{
	const char *at = source->text.data + range.from;
	const char *end = source->text.data + range.to;

	while (at < end) {
		size_t length = strcspn(at, "\n");

		if (at + length > end)
			length = (size_t)(end - at);
		if (*at != '#')
			text_add(text, at, length);
		at += length;
		if (at < end) {
			text_add(text, " ", 1);
			at++;
		}
	}
}

static void add_edit(struct source *source, struct edit made)
{
	*list_add(&source->edits) = made;
}

void edit_before(struct source *source, unsigned int offset, unsigned int near, char *text)
{
	edit_replace(source, offset, offset, near, text);
}

void edit_before_statement(struct source *source, unsigned int offset, char *text)
{
	const struct token *token = &source->tokens.items[source_token_at(source, offset)];

	edit_before(source, offset, token->kind == TOKEN_DIRECTIVE ? token[1].offset : offset,
		    text);
}

void edit_replace(struct source *source, unsigned int from, unsigned int to, unsigned int near,
		  char *text)
{
	add_edit(source, (struct edit){from, to, near, (long)source->edits.count, text});
}

void edit_after(struct source *source, unsigned int directive, unsigned int near,
		struct range range, char *text)
{
	add_edit(source, (struct edit){range.from, range.to, near, -(long)directive - 1, text});
}
