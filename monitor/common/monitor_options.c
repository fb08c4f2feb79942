// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * monitor_options.c - a monitor's options as words, "--NAME=VALUE".
 */
#include "monitor_options.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NUMBER(type, name) {"--" #name "=", offsetof(struct monitor_options, name), sizeof(type)},
#define TEXT(name)	   {"--" #name "=", offsetof(struct monitor_options, name), 0},

static const struct option {
	const char *name;
	size_t member;
	size_t size; /* of a number, which begins with its lowest byte; 0: a text */
} known[] = {MONITOR_OPTIONS(NUMBER, TEXT)};

#define COUNT (sizeof(known) / sizeof(known[0]))

void monitor_options_each(const struct monitor_options *options,
			  void (*add)(void *context, char *word), void *context)
{
	for (size_t i = 0; i < COUNT; i++) {
		const char *member = (const char *)options + known[i].member;
		const char *text = known[i].size ? NULL : *(const char *const *)member;
		unsigned long long number = 0;
		char *word;
		int made;

		memcpy(&number, member, known[i].size);
		if (!number && !text)
			continue;
		made = text ? asprintf(&word, "%s%s", known[i].name, text)
			    : asprintf(&word, "%s%llu", known[i].name, number);
		add(context, made < 0 ? NULL : word);
	}
}

static bool read_one(struct monitor_options *options, const char *word)
{
	for (size_t i = 0; i < COUNT; i++) {
		size_t length = strlen(known[i].name);
		char *member = (char *)options + known[i].member;
		unsigned long long number;

		if (strncmp(word, known[i].name, length) != 0)
			continue;
		number = strtoull(word + length, NULL, 10);
		if (known[i].size)
			memcpy(member, &number, known[i].size);
		else
			*(const char **)member = word + length;
		return true;
	}
	return false;
}

char **monitor_options_read(struct monitor_options *options, char **words)
{
	bool known_all = true;

	for (; *words && strcmp(*words, "--") != 0; words++)
		known_all &= read_one(options, *words);
	return *words && known_all ? words + 1 : NULL;
}
