/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * answer.c - writes and reads the lines in which a machine says what it is like.
 *
 * What a login shell prints beside them is no line of these, and is passed over.
 */
#include "answer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MARK "cape:" /* begins each line */

static const char *const kinds[ANSWER_KINDS] = {
	[ANSWER_ABOUT] = "about", [ANSWER_FAULT] = "fault", [ANSWER_NOTE] = "note",
	[ANSWER_SAME] = "same",	  [ANSWER_END] = "end",
};

void answer_say(enum answer_kind kind, const char *text, const char *more)
{
	printf(MARK "%s\t%.*s\t%.*s\n", kinds[kind], (int)strcspn(text, "\t\n"), text,
	       (int)strcspn(more, "\n"), more);
}

/* Whether TEXT, which is cut up, is a line. */
static bool read_line(struct answer_line *line, char *text)
{
	char *name, *first;

	if (strncmp(text, MARK, strlen(MARK)) != 0)
		return false;
	text += strlen(MARK);
	name = strsep(&text, "\t");
	first = strsep(&text, "\t");
	if (!first || !text)
		return false;
	for (int i = 0; i < ANSWER_KINDS; i++) {
		if (strcmp(name, kinds[i]) == 0) {
			*line = (struct answer_line){(enum answer_kind)i, first, text};
			return true;
		}
	}
	return false;
}

int answer_read(struct answer *answer, char *bytes)
{
	size_t lines = 1;
	char *text;

	*answer = (struct answer){.bytes = bytes};
	for (const char *at = bytes; (at = strchr(at, '\n')); at++)
		lines++;
	answer->line = calloc(lines, sizeof(*answer->line));
	if (!answer->line)
		return -ENOMEM;
	while ((text = strsep(&bytes, "\n"))) {
		struct answer_line *line = &answer->line[answer->count];

		if (!read_line(line, text))
			continue;
		if (line->kind == ANSWER_END)
			answer->whole = true;
		else
			answer->count++;
	}
	return 0;
}

void answer_free(struct answer *answer)
{
	free(answer->bytes);
	free(answer->line);
}

const char *answer_value(const struct answer *answer, const char *name)
{
	for (size_t i = 0; i < answer->count; i++)
		if (answer->line[i].kind == ANSWER_SAME && strcmp(answer->line[i].text, name) == 0)
			return answer->line[i].more;
	return NULL;
}
