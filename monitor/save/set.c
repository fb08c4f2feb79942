// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * set.c - finding sets, and removing them.
 */
#include "set.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void set_path(char path[SET_PATH_SIZE], const char *folder, uint64_t number)
{
	snprintf(path, SET_PATH_SIZE, "%.4096s/%06llu", folder, (unsigned long long)number);
}

void set_name(char name[SET_NAME_SIZE], int node)
{
	if (node < 0)
		strcpy(name, "run");
	else
		snprintf(name, SET_NAME_SIZE, "node-%d", node);
}

/* 0: it is no set's. */
static uint64_t number_of(const char *name)
{
	char *end;
	uint64_t number;

	if (!isdigit((unsigned char)*name))
		return 0;
	number = strtoull(name, &end, 10);
	return *end ? 0 : number;
}

static bool is_complete(const char *path)
{
	char file[SET_PATH_SIZE + 8];

	snprintf(file, sizeof(file), "%s/run", path);
	return access(file, R_OK) == 0;
}

/* The highest number below BELOW, if COMPLETE only of a complete set; 0: there is none. */
static uint64_t highest(const char *folder, uint64_t below, bool complete)
{
	DIR *directory = opendir(folder);
	struct dirent *entry;
	uint64_t found = 0;
	char path[SET_PATH_SIZE];

	while (directory && (entry = readdir(directory))) {
		uint64_t number = number_of(entry->d_name);

		if (number <= found || number >= below)
			continue;
		set_path(path, folder, number);
		if (!complete || is_complete(path))
			found = number;
	}
	if (directory)
		closedir(directory);
	return found;
}

uint64_t set_next(const char *folder)
{
	return highest(folder, UINT64_MAX, false) + 1;
}

int set_find(const char *folder, char path[SET_PATH_SIZE])
{
	uint64_t number;

	if (access(folder, R_OK | X_OK) < 0)
		return -errno;
	snprintf(path, SET_PATH_SIZE, "%.4096s", folder);
	if (is_complete(path))
		return 0;
	number = highest(folder, UINT64_MAX, true);
	if (!number)
		return -ENOENT;
	set_path(path, folder, number);
	return 0;
}

void set_remove(const char *folder, uint64_t number)
{
	char path[SET_PATH_SIZE], file[SET_PATH_SIZE + 300];
	struct dirent *entry;
	DIR *directory;

	set_path(path, folder, number);
	/* Before its parts, so that it never is complete without them. */
	snprintf(file, sizeof(file), "%s/run", path);
	unlink(file);
	directory = opendir(path);
	while (directory && (entry = readdir(directory))) {
		if (strncmp(entry->d_name, "node-", 5) != 0 &&
		    strncmp(entry->d_name, "run.", 4) != 0)
			continue;
		snprintf(file, sizeof(file), "%s/%s", path, entry->d_name);
		unlink(file);
	}
	if (directory)
		closedir(directory);
	rmdir(path);
}

void set_prune(const char *folder, uint64_t number, int keep)
{
	uint64_t oldest = number, next;

	for (; keep > 1 && (next = highest(folder, oldest, true)); keep--)
		oldest = next;
	while ((next = highest(folder, oldest, false)))
		set_remove(folder, next);
	/* Behind what is kept, what was never completed. */
	for (oldest = number; (next = highest(folder, oldest, false)); oldest = next) {
		char path[SET_PATH_SIZE];

		set_path(path, folder, next);
		if (!is_complete(path))
			set_remove(folder, next);
	}
}
