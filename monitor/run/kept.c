// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kept.c - the folder of --save-checkpoints: there, writable and without older checkpoints.
 */
#include "kept.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool wrong(const char *path, const char *why)
{
	fprintf(stderr, "cape-run: --save-checkpoints %s: %s\n", path, why);
	return false;
}

static bool is_checkpoint(const char *name)
{
	size_t length = strlen(name), end = strlen(".ckpt");

	return length > end && strcmp(name + length - end, ".ckpt") == 0;
}

static bool is_free(const char *path)
{
	DIR *folder = opendir(path);
	bool found = false;
	const struct dirent *entry;

	if (!folder)
		return wrong(path, strerror(errno));
	while (!found && (entry = readdir(folder)))
		found = is_checkpoint(entry->d_name);
	closedir(folder);
	return !found || wrong(path, "it holds checkpoints already; name another folder");
}

bool kept_prepare(const char **path)
{
	char *absolute;

	if (mkdir(*path, 0700) && errno != EEXIST)
		return wrong(*path, strerror(errno));
	if (!is_free(*path))
		return false;
	absolute = realpath(*path, NULL);
	if (!absolute || access(absolute, W_OK | X_OK)) {
		free(absolute);
		return wrong(*path, strerror(errno));
	}
	*path = absolute;
	return true;
}
