/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * maps.c - parses /proc/PID/maps.
 */
#include "maps.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool parse_line(const char *text, struct maps_line *line)
{
	char head[160];
	int name = 0;

	/* sscanf() looks for the end of all of it. */
	snprintf(head, sizeof(head), "%.*s", (int)strcspn(text, "\n"), text);
	if (sscanf(head, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %*s %*s%n", &line->start,
		   &line->end, line->protection, &line->offset, &name) != 4 ||
	    !name)
		return false;
	line->name = text + name + strspn(text + name, " ");
	line->name_length = (int)strcspn(line->name, "\n");
	return true;
}

int maps_parse(struct maps *maps, const char *text)
{
	size_t lines = 0;

	for (const char *at = text; (at = strchr(at, '\n')); at++)
		lines++;
	*maps = (struct maps){.line = calloc(lines + 1, sizeof(*maps->line))};
	if (!maps->line)
		return ENOMEM;
	for (; maps->count < lines; text = strchr(text, '\n') + 1) {
		if (!parse_line(text, &maps->line[maps->count])) {
			maps_free(maps);
			return EPROTO;
		}
		maps->count++;
	}
	return 0;
}

void maps_free(struct maps *maps)
{
	free(maps->line);
	*maps = (struct maps){0};
}
