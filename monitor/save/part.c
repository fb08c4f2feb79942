// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * part.c - opens a node's part of a set.
 */
#include "part.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where the file for node WHICH is, in each set of the chain, the oldest first; all to be freed. */
static size_t list_paths(const char *path, const struct set_chain *chain, int which,
			 char *paths[SET_CHAIN_LIMIT + 1])
{
	char set[SET_PATH_SIZE], file[SET_FILE_SIZE];

	for (size_t i = 0; i <= chain->count; i++) {
		if (i < chain->count)
			set_beside(set, path, chain->number[i]);
		else
			snprintf(set, sizeof(set), "%s", path);
		set_file(file, set, which);
		paths[i] = strdup(file);
		if (!paths[i])
			return i;
	}
	return chain->count + 1;
}

/* Whether it is of the set whose file for all nodes is RUN. */
static bool is_of(const struct file_head *head, const struct file_head *run, int which)
{
	return head->run == run->run && head->number == run->number &&
	       head->node == (uint32_t)which;
}

struct file_chain *part_open(const char *path, const struct file_reader *run,
			     const struct set_chain *chain, int which, struct file_error *error)
{
	char *paths[SET_CHAIN_LIMIT + 1];
	struct file_chain *part = NULL;
	size_t files = list_paths(path, chain, which, paths);

	snprintf(error->text, sizeof(error->text), "out of memory");
	if (files == chain->count + 1)
		file_chain_open(&part, paths, files, error);
	if (part &&
	    !is_of(file_reader_head(file_chain_newest(part)), file_reader_head(run), which)) {
		snprintf(error->text, sizeof(error->text), "%.200s is of another set than %.200s",
			 paths[files - 1], file_reader_path(run));
		file_chain_close(part);
		part = NULL;
	}
	while (files)
		free(paths[--files]);
	return part;
}
