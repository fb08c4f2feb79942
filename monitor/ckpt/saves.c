// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * saves.c - info of a folder that runs were saved to: which saves there are, and what becomes of
 * each.
 */
#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
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
	[SET_BROKEN] = "incomplete: of what it goes on from some is not there",
	[SET_GIVEN_UP] = "given up: a run died behind it twice, or it is damaged",
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

static void print_json(const char *path, enum set_state state, uint64_t nodes,
		       const struct set_chain *chain)
{
	char place[SET_PLACE_SIZE] = "";
	bool inside = set_region_of(path, place);
	struct json_field fields[] = {
		{"file", JSON_TEXT, 0, path},
		{"kind", JSON_TEXT, 0, "save"},
		{"state", JSON_TEXT, 0, state_word[state]},
		{"bytes", JSON_NUMBER, bytes_in(path), NULL},
		{"nodes", JSON_NUMBER, nodes, NULL},
	};

	printf("{");
	json_fields(stdout, fields, sizeof(fields) / sizeof(fields[0]));
	if (inside) {
		struct json_field region = {"region", JSON_TEXT, 0, place};

		printf(", ");
		json_fields(stdout, &region, 1);
	}
	printf(", \"goes_on_from\": [");
	for (size_t i = 0; i < chain->count; i++)
		printf("%s%" PRIu64, i ? ", " : "", chain->number[i]);
	printf("]}");
}

static void print_text(const char *path, enum set_state state, uint64_t nodes,
		       const struct set_chain *chain)
{
	char size[PRINT_SIZE], place[SET_PLACE_SIZE];

	printf("%s: %s\n  files      %s", path, state_text[state],
	       print_size(bytes_in(path), size));
	if (nodes)
		printf(", of %" PRIu64 " node%s", nodes, nodes == 1 ? "" : "s");
	if (set_region_of(path, place))
		printf("\n  region     inside one, at %s: needs as many nodes", place);
	if (chain->count)
		printf("\n  increment  goes on from %06" PRIu64 " to %06" PRIu64, chain->number[0],
		       chain->number[chain->count - 1]);
	printf("\n");
}

static void print_save(const struct order *order, const char *path, enum set_state state, int shown)
{
	struct set_chain chain;
	uint64_t nodes;

	/* What cannot be read is left out. */
	set_chain_of(path, &chain, &nodes);
	printf(order->json && shown ? ",\n" : "");
	if (order->json)
		print_json(path, state, nodes, &chain);
	else
		print_text(path, state, nodes, &chain);
}

int saves_info(const struct order *order, const char *folder, int *shown)
{
	char path[SET_PATH_SIZE];
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
	content_wrong("%s: no run is saved there", folder);
	return STATUS_TROUBLE;
}
