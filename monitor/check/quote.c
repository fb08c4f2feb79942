/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * quote.c - quotes words for a shell, where they need it.
 */
#include "quote.h"

#include <stdlib.h>
#include <string.h>

/* Of these no shell makes anything else. */
#define PLAIN "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./:@+,-"

/* Appends TEXT to AT, where there is room for four times as much and quotes; the end. */
static char *put(char *at, const char *text)
{
	if (*text && !text[strspn(text, PLAIN)])
		return stpcpy(at, text);
	*at++ = '\'';
	for (; *text; text++) {
		if (*text == '\'')
			at = stpcpy(at, "'\\''");
		else
			*at++ = *text;
	}
	return stpcpy(at, "'");
}

char *quote_command(const char *const *words)
{
	size_t room = 1;
	char *command, *at;

	for (const char *const *word = words; *word; word++)
		room += 4 * strlen(*word) + 3;
	command = malloc(room);
	if (!command)
		return NULL;
	at = command;
	*at = '\0';
	for (; *words; words++) {
		if (at != command)
			*at++ = ' ';
		at = put(at, *words);
	}
	return command;
}

char *quote_word(const char *text)
{
	return quote_command((const char *const[]){text, NULL});
}
