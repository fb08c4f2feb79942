/* SPDX-License-Identifier: GPL-2.0-or-later */
/* letters.c - universal character names in identifiers become UTF-8. */
#include "letters.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

/* The code point that \u or \U at AT names, and its LENGTH; 0 when there is none. */
static unsigned long read_name(const char *at, size_t *length)
{
	unsigned long code = 0;
	size_t i;

	*length = at[1] == 'u' ? 6 : 10;
	for (i = 2; i < *length; i++) {
		int digit = tolower((unsigned char)at[i]);

		if (!isxdigit(digit))
			return 0;
		code = code * 16 + (unsigned long)(isdigit(digit) ? digit - '0' : digit - 'a' + 10);
	}
	return code < 0x80 || code > 0x10ffff ? 0 : code;
}

static void add_utf8(struct text *text, unsigned long code)
{
	static const unsigned char first[] = {0, 0xc0, 0xe0, 0xf0};
	int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
	unsigned char byte = (unsigned char)(first[more] | code >> (6 * more));

	text_add(text, (char *)&byte, 1);
	while (more-- > 0) {
		byte = (unsigned char)(0x80 | (code >> (6 * more) & 0x3f));
		text_add(text, (char *)&byte, 1);
	}
}

/* How much at AT is a string, a character constant or a comment. */
static size_t quoted_length(const char *at)
{
	const char *end = NULL;
	size_t length = 1;

	if (at[0] == '/' && at[1] == '*')
		end = strstr(at + 2, "*/");
	if (at[0] == '/' && at[1] == '/')
		return strcspn(at, "\n");
	if (at[0] != '"' && at[0] != '\'')
		return end ? (size_t)(end + 2 - at) : 0;
	while (at[length] && at[length] != at[0] && at[length] != '\n')
		length += at[length] == '\\' && at[length + 1] ? 2 : 1;
	return length + (at[length] == at[0]);
}

void letters_unify(struct text *text)
{
	struct text unified = {0};
	const char *at = text->data, *end = at + text->length;
	size_t length;

	if (!memmem(at, text->length, "\\u", 2) && !memmem(at, text->length, "\\U", 2))
		return;
	while (at < end) {
		unsigned long code = 0;

		if (*at == '\\' && (at[1] == 'u' || at[1] == 'U'))
			code = read_name(at, &length);
		if (code) {
			add_utf8(&unified, code);
		} else {
			length = quoted_length(at);
			if (!length)
				length = strcspn(at + 1, "\\\"'/") + 1;
			text_add(&unified, at, length);
		}
		at += length;
	}
	text_free(text);
	*text = unified;
}
