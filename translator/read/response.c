/* SPDX-License-Identifier: GPL-2.0-or-later */
/* response.c - words of a file: white space parts them, quotes and backslashes hold them together.
 */
#include "response.h"

#include <ctype.h>
#include <stdio.h>

/* As many files as the compiler takes before it says that this has no end. */
#define MOST_FILES 2000

static bool add(struct response *response, char *argument);

/* The word at *FROM without its quotes, in its own place; *FROM is then after it. */
static char *take_word(char **from)
{
	char *word = *from, *to = word, *at = word, quote = '\0';

	for (; *at && (quote || !isspace((unsigned char)*at)); at++) {
		if (*at == '\\' && at[1])
			*to++ = *++at;
		else if (quote && *at == quote)
			quote = '\0';
		else if (!quote && (*at == '\'' || *at == '"'))
			quote = *at;
		else
			*to++ = *at;
	}
	*from = at + (*at != '\0');
	*to = '\0';
	return word;
}

static bool add_words(struct response *response, char *text)
{
	for (;;) {
		while (isspace((unsigned char)*text))
			text++;
		if (!*text)
			return true;
		if (!add(response, take_word(&text)))
			return false;
	}
}

static bool add(struct response *response, char *argument)
{
	struct text text = {0};

	if (argument[0] != '@' || text_read(&text, argument + 1)) {
		text_free(&text);
		*list_add(&response->arguments) = argument;
		return true;
	}
	*list_add(&response->texts) = text;
	if (response->texts.count > MOST_FILES) {
		fprintf(stderr, "cape-cc: '%s': too many files of arguments refer to each other\n",
			argument);
		return false;
	}
	return add_words(response, text.data);
}

bool response_expand(struct response *response, int count, char **arguments)
{
	for (int i = 0; i < count; i++)
		if (!add(response, arguments[i]))
			return false;
	*list_add(&response->arguments) = NULL;
	response->arguments.count--;
	return true;
}

void response_free(struct response *response)
{
	for (size_t i = 0; i < response->texts.count; i++)
		text_free(&response->texts.items[i]);
	list_free(&response->texts);
	list_free(&response->arguments);
}
