// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * process_state.c - reads /proc/PID/stat and status.
 */
#include "process_state.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE 8192 /* a user may be in many groups */

static FILE *open_file(pid_t pid, const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, name);
	return fopen(path, "re");
}

bool process_state(pid_t pid, struct process_state *state)
{
	FILE *file = open_file(pid, "stat");
	char line[512], *start, *end;
	unsigned long in_program, in_kernel;

	*state = (struct process_state){.letter = 0};
	if (!file)
		return false;
	line[fread(line, 1, sizeof(line) - 1, file)] = '\0';
	fclose(file);
	start = strchr(line, '(');
	end = strrchr(line, ')');
	if (!start || !end)
		return false;
	snprintf(state->name, sizeof(state->name), "%.*s", (int)(end - start - 1), start + 1);
	if (sscanf(end, ") %c %d %*d %d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &state->letter,
		   &state->parent, &state->session, &in_program, &in_kernel) != 5)
		return false;
	state->ticks = in_program + in_kernel;
	return true;
}

unsigned long long process_number(pid_t pid, const char *name, int base)
{
	FILE *file = open_file(pid, "status");
	unsigned long long number = 0;
	size_t length = strlen(name);
	char line[LINE];
	bool found = false;

	while (file && !found && fgets(line, sizeof(line), file)) {
		found = strncmp(line, name, length) == 0 && line[length] == ':';
		if (found)
			number = strtoull(line + length + 1, NULL, base);
	}
	if (file)
		fclose(file);
	return number;
}

bool process_sleeps(pid_t pid)
{
	struct process_state state;
	struct dirent *thread;
	bool sleeps;
	char path[32];
	DIR *threads;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	threads = opendir(path);
	if (!threads)
		return false;
	for (sleeps = true; sleeps && (thread = readdir(threads));)
		if (thread->d_name[0] != '.')
			sleeps = process_state(atoi(thread->d_name), &state) && state.letter == 'S';
	closedir(threads);
	return sleeps;
}
