/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * answer.h - what a machine says of itself: lines of a kind, a text and a second text after a tab.
 */
#ifndef CAPE_COMMON_ANSWER_H
#define CAPE_COMMON_ANSWER_H

#include <stdbool.h>
#include <stddef.h>

enum answer_kind {
	ANSWER_ABOUT, /* text: what the machine has */
	ANSWER_FAULT, /* text: why no run would succeed; more: what mends it */
	ANSWER_NOTE,  /* the same of what only makes runs slower, or may */
	ANSWER_SAME,  /* text: the name of what must be alike on all machines; more: its value */
	ANSWER_END,   /* all has been said */
	ANSWER_KINDS
};

struct answer_line {
	enum answer_kind kind;
	const char *text, *more;
};

struct answer {
	char *bytes; /* which the lines point into */
	struct answer_line *line;
	size_t count;
	bool whole; /* its end was seen */
};

/* Prints a line to stdout; TEXT and MORE may be cut where they have line breaks. */
void answer_say(enum answer_kind kind, const char *text, const char *more);

/* Reads BYTES, which the answer owns from then on, also when this fails.  0 or -ENOMEM. */
int answer_read(struct answer *answer, char *bytes);
void answer_free(struct answer *answer);

/* The value of what must be alike, or NULL. */
const char *answer_value(const struct answer *answer, const char *name);

#endif
