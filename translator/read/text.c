/* SPDX-License-Identifier: GPL-2.0-or-later */
/* text.c - growing text and growing lists. */
#include "text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *resize(void *memory, size_t size)
{
	memory = realloc(memory, size);
	if (!memory) {
		fputs("cape-cc: out of memory\n", stderr);
		exit(EXIT_FAILURE);
	}
	return memory;
}

void *memory_new(size_t size)
{
	return memset(resize(NULL, size ? size : 1), 0, size);
}

void memory_free(void *memory)
{
	free(memory);
}

void *list_room(void *items, size_t count, size_t *capacity, size_t size)
{
	if (count == *capacity) {
		*capacity = count ? 2 * count : 16;
		items = resize(items, *capacity * size);
	}
	memset((char *)items + count * size, 0, size);
	return items;
}

static void text_room(struct text *text, size_t more)
{
	if (text->length + more + 1 <= text->capacity)
		return;
	text->capacity = 2 * (text->length + more) + 64;
	text->data = resize(text->data, text->capacity);
}

void text_add(struct text *text, const char *data, size_t length)
{
	text_room(text, length);
	memcpy(text->data + text->length, data, length);
	text->length += length;
	text->data[text->length] = '\0';
}

void text_vprint(struct text *text, const char *format, va_list arguments)
{
	va_list again;
	int length;

	va_copy(again, arguments);
	length = vsnprintf(NULL, 0, format, again);
	va_end(again);
	text_room(text, (size_t)length);
	vsnprintf(text->data + text->length, (size_t)length + 1, format, arguments);
	text->length += (size_t)length;
}

void text_print(struct text *text, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	text_vprint(text, format, arguments);
	va_end(arguments);
}

char *format_text(const char *format, ...)
{
	struct text text = {0};
	va_list arguments;

	va_start(arguments, format);
	text_vprint(&text, format, arguments);
	va_end(arguments);
	return text.data;
}

int text_read(struct text *text, const char *file_name)
{
	FILE *file = fopen(file_name, "rb");
	int error = 0;

	if (!file)
		return -errno;
	text_room(text, 1 << 16);
	for (;;) {
		size_t got = fread(text->data + text->length, 1, text->capacity - text->length - 1,
				   file);

		text->length += got;
		if (!got)
			break;
		text_room(text, text->length);
	}
	if (ferror(file))
		error = -EIO;
	text->data[text->length] = '\0';
	fclose(file);
	return error;
}

void indent(struct text *text, unsigned int depth)
{
	while (depth--)
		text_add(text, "\t", 1);
}

void text_add_file_name(struct text *text, const char *name)
{
	for (; *name; name++)
		if (*name == '"' || *name == '\\')
			text_print(text, "\\%c", *name);
		else if ((unsigned char)*name < ' ' || *name == 0x7f)
			text_print(text, "\\%03o", (unsigned char)*name);
		else
			text_add(text, name, 1);
}

void text_free(struct text *text)
{
	free(text->data);
	*text = (struct text){0};
}
