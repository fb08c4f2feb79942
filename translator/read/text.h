/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * text.h - growing text and growing lists, for every stage of the translator.
 *
 * Out of memory ends cape-cc with a message: there is nothing to go back to.
 */
#ifndef CAPE_TRANSLATOR_TEXT_H
#define CAPE_TRANSLATOR_TEXT_H

#include <stdarg.h>
#include <stddef.h>

/* Text under construction; zero-initialise it.  DATA is NUL-terminated once anything was added. */
struct text {
	char *data;
	size_t length;
	size_t capacity;
};

/* Adds LENGTH bytes. */
void text_add(struct text *text, const char *data, size_t length);
/* Adds what printf would print. */
void text_print(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Adds DEPTH tabs. */
void indent(struct text *text, unsigned int depth);
/* Adds what stands between the quotes of a line marker for the file NAME. */
void text_add_file_name(struct text *text, const char *name);
void text_vprint(struct text *text, const char *format, va_list arguments)
	__attribute__((format(printf, 2, 0)));
/* Reads the whole of FILE_NAME into TEXT; 0 or -errno. */
int text_read(struct text *text, const char *file_name);
void text_free(struct text *text);

/* A list of TYPE; zero-initialise it, release it with list_free(). */
#define LIST(type)                                                                                 \
	struct {                                                                                   \
		type *items;                                                                       \
		size_t count;                                                                      \
		size_t capacity;                                                                   \
	}

/* Adds one zeroed item to LIST and gives its address, good until the next list_add(). */
#define list_add(list)                                                                             \
	((list)->items = list_room((list)->items, (list)->count, &(list)->capacity,                \
				   sizeof *(list)->items),                                         \
	 &(list)->items[(list)->count++])

#define list_free(list) memory_free((list)->items)

/* Room for one more item after COUNT, zeroed; used by list_add(). */
void *list_room(void *items, size_t count, size_t *capacity, size_t size);
void memory_free(void *memory);
/* SIZE bytes of zeros, for memory_free(). */
void *memory_new(size_t size);

/* What printf would print, in memory of its own; the caller frees it. */
char *format_text(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
