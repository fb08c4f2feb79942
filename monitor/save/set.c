// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * set.c - finding sets, and removing them.
 */
#include "set.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "file/reader.h"

#define DIGITS	  "0123456789"
#define PARTIAL	  ".partial."
#define GIVEN_UP  "given-up"
#define NAME_ROOM 300 /* of a name in a folder, with its slash */

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

/* 0: it is no set's, whose name set_path() would give back. */
static uint64_t number_of(const char *name)
{
	uint64_t number = strtoull(name, NULL, 10);
	char same[SET_NAME_SIZE];

	snprintf(same, sizeof(same), "%06llu", (unsigned long long)number);
	return strcmp(same, name) == 0 ? number : 0;
}

static bool has_run(const char *path)
{
	char file[SET_PATH_SIZE + 8];

	snprintf(file, sizeof(file), "%s/run", path);
	return file_is_checkpoint(file);
}

static void mark_path(char mark[SET_PATH_SIZE + 16], const char *path)
{
	snprintf(mark, SET_PATH_SIZE + 16, "%s/" GIVEN_UP, path);
}

/* One that is given up counts as one that never was. */
static bool is_complete(const char *path)
{
	char mark[SET_PATH_SIZE + 16];

	mark_path(mark, path);
	return has_run(path) && access(mark, F_OK) < 0;
}

int set_give_up(const char *path)
{
	char mark[SET_PATH_SIZE + 16];
	int file;

	mark_path(mark, path);
	file = open(mark, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
	if (file < 0)
		return -errno;
	close(file);
	return 0;
}

bool set_is_in(const char *path, const char *folder)
{
	char parent[SET_PATH_SIZE + 8];
	struct stat here, other;

	snprintf(parent, sizeof(parent), "%s/..", path);
	return stat(parent, &other) == 0 && stat(folder, &here) == 0 &&
	       here.st_dev == other.st_dev && here.st_ino == other.st_ino;
}

/* The highest number below BELOW, if COMPLETE only of a complete set; 0: there is none. */
static uint64_t highest(const char *folder, uint64_t below, bool complete)
{
	DIR *directory = opendir(folder);
	const struct dirent *entry;
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
	if (has_run(path))
		return 0;
	number = highest(folder, UINT64_MAX, true);
	if (!number)
		return -ENOENT;
	set_path(path, folder, number);
	return 0;
}

bool set_before(const char *path, char before[SET_PATH_SIZE])
{
	const char *name = strrchr(path, '/');
	char folder[SET_PATH_SIZE];
	uint64_t number = name ? number_of(name + 1) : 0;

	if (!number)
		return false;
	snprintf(folder, sizeof(folder), "%.*s", (int)(name - path), path);
	number = highest(folder, number, true);
	set_path(before, folder, number);
	return number;
}

/* Whether a file of a set may be called so: run or node-K, or what one is until it is whole. */
static bool is_name_of_part(const char *name, bool *partial)
{
	size_t length = 0;

	if (strncmp(name, "run", 3) == 0)
		length = 3;
	else if (strncmp(name, "node-", 5) == 0 && name[5] >= '0' && name[5] <= '9')
		length = 5 + strspn(name + 5, DIGITS);
	name += length;
	*partial = *name;
	if (!length || !*partial)
		return length;
	return strncmp(name, PARTIAL, strlen(PARTIAL)) == 0 &&
	       strlen(name + strlen(PARTIAL)) == 8 &&
	       strspn(name + strlen(PARTIAL), DIGITS "abcdef") == 8;
}

/* Anything else in there is somebody else's. */
static void remove_part(const char *path, const char *name)
{
	char file[SET_PATH_SIZE + NAME_ROOM];
	bool partial;

	snprintf(file, sizeof(file), "%s/%s", path, name);
	if (strcmp(name, GIVEN_UP) == 0 ||
	    (is_name_of_part(name, &partial) && (partial || file_is_checkpoint(file))))
		unlink(file);
}

void set_remove(const char *folder, uint64_t number)
{
	char path[SET_PATH_SIZE];
	const struct dirent *entry;
	DIR *directory;

	set_path(path, folder, number);
	/* Before its parts, so that it never is complete without them. */
	remove_part(path, "run");
	directory = opendir(path);
	while (directory && (entry = readdir(directory)))
		remove_part(path, entry->d_name);
	if (directory)
		closedir(directory);
	rmdir(path);
}

void set_prune(const char *folder, uint64_t number, int keep)
{
	uint64_t oldest = number, next;

	for (; keep > 1 && (next = highest(folder, oldest, true)); keep--)
		oldest = next;
	/* Always down: what is somebody else's stays. */
	for (; (next = highest(folder, oldest, false)); oldest = next)
		set_remove(folder, next);
	/* Behind what is kept, what was never completed. */
	for (oldest = number; (next = highest(folder, oldest, false)); oldest = next) {
		char path[SET_PATH_SIZE];

		set_path(path, folder, next);
		if (!is_complete(path))
			set_remove(folder, next);
	}
}
