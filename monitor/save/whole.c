// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * whole.c - reads sets, and remembers which of them are sound.
 */
#include "whole.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "part.h"
#include "system/memory.h"

/* The nodes' files of a set, by themselves. */
struct looked {
	char *path; /* of the set */
	bool sound;
};

static bool is_sound(const char *path)
{
	struct file_reader *reader;
	struct file_error error;
	bool sound = file_reader_open_sound(&reader, path, &error) == 0;

	file_reader_close(reader);
	return sound;
}

/* Of a set whose files lie on several machines, those that are here count. */
static bool has_sound_files(const char *set, int nodes, bool apart)
{
	char path[SET_FILE_SIZE];
	bool sound = true;

	for (int i = 0; i < nodes && sound; i++) {
		set_file(path, set, i);
		sound = (apart && access(path, F_OK) < 0) || is_sound(path);
	}
	return sound;
}

/* The same, read once.  False as well: out of memory. */
static bool look(struct whole *whole, const char *set, int nodes, bool apart)
{
	struct looked *looked;

	for (size_t i = 0; i < whole->count; i++)
		if (strcmp(whole->looked[i].path, set) == 0)
			return whole->looked[i].sound;
	if (cape_memory_grow(&cape_memory_heap, (void **)&whole->looked, &whole->capacity,
			     whole->count + 1, sizeof(*looked)))
		return false;
	looked = &whole->looked[whole->count];
	looked->path = strdup(set);
	if (!looked->path)
		return false;
	looked->sound = has_sound_files(set, nodes, apart);
	whole->count++;
	return looked->sound;
}

/* Whether each node's file of the set PATH goes on from the others, as CHAIN has them. */
static bool hangs_together(const char *path, const struct file_reader *run,
			   const struct set_chain *chain)
{
	int nodes = (int)file_reader_head(run)->nodes;
	struct file_error error;

	for (int i = 0; i < nodes; i++) {
		struct file_chain *part = part_open(path, run, chain, i, &error);

		file_chain_close(part);
		if (!part)
			return false;
	}
	return true;
}

static bool is_whole(struct whole *whole, const char *path, struct file_reader *run)
{
	int nodes = (int)file_reader_head(run)->nodes;
	char before[SET_PATH_SIZE];
	struct file_error error;
	struct set_chain chain;
	uint64_t number;
	bool apart = set_is_apart(path, &number);

	if (file_verify(run, &error) < 0 || !set_chain(run, &chain))
		return false;
	for (size_t i = 0; i < chain.count; i++) {
		set_beside(before, path, chain.number[i]);
		if (!look(whole, before, nodes, apart))
			return false;
	}
	return look(whole, path, nodes, apart) && (apart || hangs_together(path, run, &chain));
}

bool whole_is(struct whole *whole, const char *path)
{
	char file[SET_FILE_SIZE];
	struct file_reader *run;
	struct file_error error;
	bool is;

	set_file(file, path, -1);
	if (file_reader_open(&run, file, &error) < 0)
		return false;
	is = is_whole(whole, path, run);
	file_reader_close(run);
	return is;
}

void whole_free(struct whole *whole)
{
	for (size_t i = 0; i < whole->count; i++)
		free(whole->looked[i].path);
	free(whole->looked);
	*whole = (struct whole){0};
}
