// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * json.c - numbers, times, texts and flags in JSON.
 */
#include "json.h"

#include <ctype.h>
#include <inttypes.h>

/*
 * How many bytes the character at TEXT has in UTF-8, none of which is longer than it need be, or a
 * half of a pair of UTF-16; 0: it is none.
 */
static size_t character(const char *text)
{
	const unsigned char *byte = (const unsigned char *)text;
	size_t size = *byte < 0x80 ? 1 : *byte < 0xe0 ? 2 : *byte < 0xf0 ? 3 : 4;
	uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	uint32_t code = size == 1 ? *byte : *byte & (0x7fu >> size);

	if (size > 1 && (*byte < 0xc0 || *byte > 0xf4))
		return 0;
	for (size_t i = 1; i < size; i++) {
		if ((byte[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (byte[i] & 0x3f);
	}
	return code < least[size] || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff) ? 0
											   : size;
}

void json_text(FILE *out, const char *text)
{
	fputc('"', out);
	while (*text) {
		size_t size = character(text);

		if (!size) /* the character that stands for what is none */
			fputs("\\ufffd", out);
		else if (*text == '"' || *text == '\\')
			fprintf(out, "\\%c", *text);
		else if (iscntrl((unsigned char)*text))
			fprintf(out, "\\u%04x", (unsigned char)*text);
		else
			fwrite(text, size, 1, out);
		text += size ? size : 1;
	}
	fputc('"', out);
}

static void put_value(FILE *out, const struct json_field *field)
{
	switch (field->kind) {
	case JSON_NUMBER:
		fprintf(out, "%" PRIu64, field->number);
		break;
	case JSON_SECONDS:
		fprintf(out, "%.9f", (double)field->number * 1e-9);
		break;
	case JSON_TEXT:
		json_text(out, field->text);
		break;
	case JSON_FLAG:
		fputs(field->number ? "true" : "false", out);
		break;
	}
}

void json_fields(FILE *out, const struct json_field *field, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		fprintf(out, "%s\"%s\": ", i ? ", " : "", field[i].name);
		put_value(out, &field[i]);
	}
}
