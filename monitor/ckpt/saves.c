// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * saves.c - info of a folder that runs were saved to: which saves there are, and what becomes of
 * each.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "command.h"
#include "common/json.h"
#include "content.h"
#include "print.h"
#include "save/set.h"

static const char *const state_word[] = {
	[SET_INCOMPLETE] = "incomplete",
	[SET_BROKEN] = "broken",
	[SET_GIVEN_UP] = "given-up",
	[SET_COMPLETE] = "complete",
};

/* What a user is to make of it. */
static const char *const state_text[] = {
	[SET_INCOMPLETE] = "incomplete: the next run that is saved there removes it",
	[SET_BROKEN] = "broken: ",
	[SET_GIVEN_UP] = "given up: a run died after it twice, or it is damaged",
	[SET_COMPLETE] = "complete",
};

static uint64_t bytes_in(const char *path)
{
	DIR *folder = opendir(path);
	const struct dirent *entry;
	uint64_t bytes = 0;
	struct stat file;

	while (folder && (entry = readdir(folder)))
		if (fstatat(dirfd(folder), entry->d_name, &file, AT_SYMLINK_NOFOLLOW) == 0 &&
		    S_ISREG(file.st_mode))
			bytes += (uint64_t)file.st_size;
	if (folder)
		closedir(folder);
	return bytes;
}

/* What info says about a set. */
struct save {
	const char *path;
	enum set_state state;
	uint64_t nodes;
	struct set_chain chain;
	struct file_error error; /* of the state SET_BROKEN */
};

static bool can_be_opened(const char *path, int node, struct file_error *error)
{
	char file[SET_FILE_SIZE];
	struct file_reader *reader;
	int failed;

	set_file(file, path, node);
	/* That for all nodes is small, and all of it is needed. */
	failed = node < 0 ? file_reader_open_sound(&reader, file, error)
			  : file_reader_open(&reader, file, error);
	file_reader_close(reader);
	return !failed;
}

/* Whether the files of the set PATH are there, as far as is known without reading them. */
static bool has_files(const char *path, struct file_error *error)
{
	struct set_chain chain;
	uint64_t nodes, run;
	bool good = can_be_opened(path, -1, error);

	set_chain_of(path, &chain, &nodes);
	/* Those of nodes on other machines are there. */
	if (good && set_is_apart(path, &run))
		return true;
	for (uint64_t node = 0; node < nodes && good; node++)
		good = can_be_opened(path, (int)node, error);
	return good;
}

/* A set counts as complete by its file "run"; whether more is wrong is found out here. */
static void look_at(struct save *save, const char *path, enum set_state state)
{
	char before[SET_PATH_SIZE], run[SET_FILE_SIZE];
	bool good;

	*save = (struct save){.path = path, .state = state};
	/* What cannot be read is left out. */
	set_chain_of(path, &save->chain, &save->nodes);
	set_file(run, path, -1);
	if (state == SET_GIVEN_UP || (state == SET_INCOMPLETE && access(run, F_OK) < 0))
		return;
	good = has_files(path, &save->error);
	for (size_t i = 0; i < save->chain.count && good; i++) {
		set_beside(before, path, save->chain.number[i]);
		good = has_files(before, &save->error);
	}
	if (!good)
		save->state = SET_BROKEN;
}

static void print_json(const struct save *save)
{
	const char *path = save->path;
	char place[SET_PLACE_SIZE] = "";
	bool inside = set_region_of(path, place);
	struct json_field fields[] = {
		{"file", JSON_TEXT, 0, path},
		{"kind", JSON_TEXT, 0, "save"},
		{"state", JSON_TEXT, 0, state_word[save->state]},
		{"bytes", JSON_NUMBER, bytes_in(path), NULL},
		{"nodes", JSON_NUMBER, save->nodes, NULL},
		{"error", JSON_TEXT, 0, save->error.text},
	};
	size_t count = sizeof(fields) / sizeof(fields[0]);

	printf("{");
	json_fields(stdout, fields, save->state == SET_BROKEN ? count : count - 1);
	if (inside) {
		struct json_field region = {"region", JSON_TEXT, 0, place};

		printf(", ");
		json_fields(stdout, &region, 1);
	}
	printf(", \"goes_on_from\": [");
	for (size_t i = 0; i < save->chain.count; i++)
		printf("%s%" PRIu64, i ? ", " : "", save->chain.number[i]);
	printf("]}");
}

static void print_text(const struct save *save)
{
	const struct set_chain *chain = &save->chain;
	char size[PRINT_SIZE], place[SET_PLACE_SIZE];

	printf("%s: %s%s\n  files      %s", save->path, state_text[save->state],
	       save->state == SET_BROKEN ? save->error.text : "",
	       print_size(bytes_in(save->path), size));
	if (save->nodes)
		printf(", of %" PRIu64 " node%s", save->nodes, save->nodes == 1 ? "" : "s");
	if (set_region_of(save->path, place))
		printf("\n  region     inside one, at %s: needs as many nodes", place);
	if (chain->count)
		printf("\n  increment  depends on %06" PRIu64 " to %06" PRIu64, chain->number[0],
		       chain->number[chain->count - 1]);
	printf("\n");
}

static void print_save(const struct order *order, const char *path, enum set_state state, int shown)
{
	struct save save;

	look_at(&save, path, state);
	printf(order->json && shown ? ",\n" : "");
	if (order->json)
		print_json(&save);
	else
		print_text(&save);
}

int saves_info(const struct order *order, const char *folder, int *shown)
{
	char path[SET_PATH_SIZE];
	int found = set_find(folder, path);
	enum set_state state = set_state(folder);
	int before = *shown;

	if (state != SET_NONE)
		print_save(order, folder, state, (*shown)++);
	for (uint64_t next = UINT64_MAX; (next = set_below(folder, next));) {
		set_path(path, folder, next);
		state = set_state(path);
		if (state != SET_NONE)
			print_save(order, path, state, (*shown)++);
	}
	if (*shown > before)
		return STATUS_SAME;
	if (found < 0 && found != -ENOENT)
		content_wrong("%s: %s", folder, strerror(-found));
	else
		content_wrong("%s: no run is saved there", folder);
	return STATUS_TROUBLE;
}
