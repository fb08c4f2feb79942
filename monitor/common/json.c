// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * json.c - numbers, times, texts and flags in JSON.
 */
#include "json.h"

#include <ctype.h>
#include <inttypes.h>

void json_text(FILE *out, const char *text)
{
	fputc('"', out);
	for (; *text; text++)
		if (*text == '"' || *text == '\\')
			fprintf(out, "\\%c", *text);
		else if (iscntrl((unsigned char)*text))
			fprintf(out, "\\u%04x", (unsigned char)*text);
		else
			fputc(*text, out);
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
