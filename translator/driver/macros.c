/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * macros.c - expands macros in #pragma cape, which compilers leave as it is.
 *
 * They are asked once more: for no more than these lines, as text that is no pragma, after all
 * macros of the source (-imacros).  Each line begins with a word by which it is found again.
 */
#include "macros.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "read/source.h"

static const char mark[] = "cape_pragma_line";

/* Where the line at AT ends. */
static const char *end_of_line(const char *at)
{
	return at + strcspn(at, "\n");
}

/* The next #pragma cape from AT on, or NULL. */
static const char *next_pragma(const char *at)
{
	while (at && *at) {
		if (source_is_pragma(at, "cape"))
			return at;
		at = end_of_line(at);
		at += *at == '\n';
	}
	return NULL;
}

/* What follows the word cape in the line at AT. */
static const char *words_of(const char *at)
{
	return strstr(at, "cape") + 4;
}

static int ask(const struct driver *driver, const char *name, const char *question,
	       const char *answer)
{
	int messages = memfd_create("messages", MFD_CLOEXEC); /* shown before */
	struct redirection redirection = {question, answer, messages < 0 ? 0 : messages};
	argument_list list = {0};
	int status;

	add_compiler(driver, &list);
	add_preprocessing(driver, &list);
	add_argument(&list, "-P");
	add_argument(&list, "-imacros");
	add_argument(&list, name);
	add_file("-", "c", &list);
	status = process_run(&list, &redirection);
	list_free(&list);
	if (messages >= 0)
		close(messages);
	return status;
}

static int write_question(const char *text, const char *path)
{
	FILE *file = fopen(path, "w");
	bool failed = !file;

	for (const char *at = text; file && (at = next_pragma(at)); at = end_of_line(at)) {
		const char *words = words_of(at);

		failed |=
			fprintf(file, "%s %.*s\n", mark, (int)(end_of_line(at) - words), words) < 0;
	}
	if (file && fclose(file))
		failed = true;
	if (failed)
		fprintf(stderr, "cape-cc: cannot write '%s': %s\n", path, strerror(errno));
	return failed;
}

/* Adds [FROM, TO) as one line. */
static void add_line(struct text *text, const char *from, const char *to)
{
	for (; from < to; from++)
		text_add(text, *from == '\n' ? " " : from, 1);
}

/* TEXT with what the mark in ANSWER stands before, one by one, in its pragmas. */
static void replace(struct text *text, const char *answer)
{
	struct text result = {0};
	const char *at = text->data, *pragma;

	while ((pragma = next_pragma(at)) && (answer = strstr(answer, mark))) {
		const char *words = words_of(pragma), *end;

		answer += strlen(mark);
		end = strstr(answer, mark);
		text_add(&result, at, (size_t)(words - at));
		add_line(&result, answer, end ? end : answer + strlen(answer));
		at = end_of_line(pragma);
	}
	text_add(&result, at, (size_t)(text->data + text->length - at));
	text_free(text);
	*text = result;
}

int macros_expand(const struct driver *driver, const char *name, const char *stem,
		  struct text *text)
{
	char *question = format_text("%s.pragmas", stem), *path = format_text("%s.answer", stem);
	struct text answer = {0};
	int status = 0;

	/* Standard input has been read. */
	if (next_pragma(text->data) && strcmp(name, "-") != 0) {
		status = write_question(text->data, question);
		if (!status)
			status = ask(driver, name, question, path);
		if (!status && text_read(&answer, path) == 0 && answer.data)
			replace(text, answer.data);
	}
	text_free(&answer);
	memory_free(question);
	memory_free(path);
	return status;
}
