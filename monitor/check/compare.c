/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * compare.c - says in what two machines differ, and how much that matters.
 */
#include "compare.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "quote.h"

struct difference {
	const char *name;
	const char *text;
	enum answer_kind kind;
	bool shown; /* its values are */
};

static const struct difference differences[] = {
	{"cape", "CAPE is another one", ANSWER_FAULT, false},
	{"openmpi", "Open MPI is another version", ANSWER_FAULT, true},
	{"program", "the program is another file", ANSWER_FAULT, false},
	{"architecture", "the processor is of another architecture", ANSWER_FAULT, true},
	{"processor", "the processor is of another type", ANSWER_FAULT, false},
	{"kernel", "the kernel is another one", ANSWER_NOTE, true},
};

static bool is_word_of(const char *list, const char *word, size_t length)
{
	for (const char *at = list; *at; at += strspn(at, " ")) {
		size_t own = strcspn(at, " ");

		if (own == length && strncmp(at, word, length) == 0)
			return true;
		at += own;
	}
	return false;
}

/* The first word of LIST that OTHER has not: its length, and where it is. */
static int missing_word(const char *list, const char *other, const char **word)
{
	for (const char *at = list; *at; at += strspn(at, " ")) {
		size_t length = strcspn(at, " ");

		if (!is_word_of(other, at, length)) {
			*word = at;
			return (int)length;
		}
		at += length;
	}
	return 0;
}

/* WHAT, and of a list of words one that is not on both. */
static void describe(char *text, size_t size, const struct difference *what, const char *first,
		     const char *one, const char *two)
{
	const char *word = "";
	int length = strchr(one, ' ') ? missing_word(one, two, &word) : 0;

	if (what->shown)
		snprintf(text, size, "%s than on %s: %s, there %s", what->text, first, two, one);
	else if (length)
		snprintf(text, size, "%s than on %s: it has no %.*s", what->text, first, length,
			 word);
	else
		snprintf(text, size, "%s than on %s", what->text, first);
}

/* PROGRAM, or what FOLDER has of CAPE, copied to MACHINE. */
static void copy_to(char *text, size_t size, const char *machine, const char *program,
		    const char *folder)
{
	char *word = quote_word(program ? program : folder);

	*text = '\0';
	if (word && program)
		snprintf(text, size, "scp -p %s %s:%s", word, machine, word);
	else if (word)
		snprintf(text, size, "scp -p %s/cape-* %s:%s/", word, machine, word);
	free(word);
}

/* What makes NAME alike on OTHER. */
static void mend_of(char *text, size_t size, const char *name, const struct compared *first,
		    const struct compared *other, const char *program, const char *folder)
{
	if (strcmp(name, "cape") == 0)
		copy_to(text, size, other->name, NULL, folder);
	else if (strcmp(name, "program") == 0)
		copy_to(text, size, other->name, program, NULL);
	else if (strcmp(name, "openmpi") == 0)
		snprintf(text, size, "apt-get install openmpi-bin of one version on %s and %s",
			 first->name, other->name);
	else if (strcmp(name, "kernel") == 0)
		snprintf(text, size, "boot the same kernel; runs may succeed without it");
	else if (strncmp(name, "library", strlen("library")) == 0)
		snprintf(text, size, "apt-get update && apt-get upgrade, on %s and on %s",
			 first->name, other->name);
	else
		snprintf(text, size, "run on machines of one type alone (-H)");
}

void compare_machines(const struct compared *first, const struct compared *other,
		      const char *program, const char *folder, compare_find *find, void *context)
{
	char text[1024], mend[8192 + 512], library[512];

	for (size_t i = 0; i < first->answer->count; i++) {
		const struct answer_line *line = &first->answer->line[i];
		const char *value = answer_value(other->answer, line->text);
		struct difference what = {line->text, library, ANSWER_FAULT, false};

		if (line->kind != ANSWER_SAME || !value || strcmp(value, line->more) == 0)
			continue;
		snprintf(library, sizeof(library), "the %s is another one", line->text);
		for (size_t j = 0; j < sizeof(differences) / sizeof(differences[0]); j++)
			if (strcmp(differences[j].name, line->text) == 0)
				what = differences[j];
		describe(text, sizeof(text), &what, first->name, line->more, value);
		mend_of(mend, sizeof(mend), line->text, first, other, program, folder);
		find(context, what.kind, text, mend);
	}
}
