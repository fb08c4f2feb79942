// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * processor.c - the line "flags" of /proc/cpuinfo.
 */
#include "processor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *processor_abilities(void)
{
	FILE *file = fopen("/proc/cpuinfo", "re");
	char *line = NULL, *found = NULL;
	size_t room = 0;

	while (file && !found && getline(&line, &room, file) > 0)
		if (strncmp(line, "flags", 5) == 0 && strchr(line, ':'))
			found = strdup(strchr(line, ':') + 1);
	if (file)
		fclose(file);
	free(line);
	if (found)
		found[strcspn(found, "\n")] = '\0';
	return found ? found : strdup("");
}

static bool is_in(const char *list, const char *word, size_t length)
{
	for (const char *at = list; (at = strstr(at, word)); at += length)
		if ((at == list || at[-1] == ' ') && (at[length] == ' ' || !at[length]))
			return true;
	return false;
}

bool processor_has(const char *features, char *missing, size_t size)
{
	char *own = processor_abilities();
	bool all = own != NULL;

	*missing = '\0';
	while (all && *features) {
		size_t length;

		features += strspn(features, " ");
		length = strcspn(features, " ");
		snprintf(missing, size, "%.*s", (int)length, features);
		all = !length || is_in(own, missing, length);
		features += length;
	}
	free(own);
	return all;
}
