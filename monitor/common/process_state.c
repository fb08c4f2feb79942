// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * process_state.c - what /proc says of a process.
 */
#include "process_state.h"

#include <stdio.h>
#include <string.h>

char process_state(pid_t pid, char *name, size_t size)
{
	char path[32], line[256], *start, *end;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	file = fopen(path, "re");
	if (!file)
		return 0;
	line[fread(line, 1, sizeof(line) - 1, file)] = '\0';
	fclose(file);
	start = strchr(line, '(');
	end = strrchr(line, ')');
	if (!start || !end || strlen(end) < 3)
		return 0;
	snprintf(name, size, "%.*s", (int)(end - start - 1), start + 1);
	return end[2];
}
