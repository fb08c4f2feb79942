// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * set.c - finding sets, and removing them.
 */
#include "set.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "system/memory.h"

#define DIGITS	  "0123456789"
#define PARTIAL	  ".partial."
#define GIVEN_UP  ".given-up"
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

void set_file(char file[SET_FILE_SIZE], const char *path, int node)
{
	char name[SET_NAME_SIZE];

	set_name(name, node);
	snprintf(file, SET_FILE_SIZE, "%s/%s", path, name);
}

/* 0: it is no set's, whose name set_path() would give back. */
static uint64_t number_of(const char *name)
{
	uint64_t number = strtoull(name, NULL, 10);
	char same[SET_NAME_SIZE];

	snprintf(same, sizeof(same), "%06llu", (unsigned long long)number);
	return strcmp(same, name) == 0 ? number : 0;
}

uint64_t set_number(const char *path)
{
	const char *slash = strrchr(path, '/');

	return number_of(slash ? slash + 1 : path);
}

void set_folder(char folder[SET_PATH_SIZE], const char *path)
{
	const char *slash = strrchr(path, '/');

	snprintf(folder, SET_PATH_SIZE, "%.*s", slash ? (int)(slash - path) : 1,
		 slash ? path : ".");
}

void set_beside(char beside[SET_PATH_SIZE], const char *path, uint64_t number)
{
	char folder[SET_PATH_SIZE];

	set_folder(folder, path);
	set_path(beside, folder, number);
}

/* The file for all nodes of the set PATH; NULL: it cannot be read. */
static struct file_reader *open_run(const char *path)
{
	char file[SET_FILE_SIZE];
	struct file_reader *run;
	struct file_error error;

	set_file(file, path, -1);
	return file_reader_open(&run, file, &error) < 0 ? NULL : run;
}

bool set_chain(struct file_reader *run, struct set_chain *chain)
{
	struct file_error error;
	uint64_t size;
	const unsigned char *bytes = file_read_named(run, SET_CHAIN, &size, &error);

	chain->count = 0;
	if (error.number || size % sizeof(uint64_t) || size > sizeof(chain->number))
		return false;
	if (bytes)
		memcpy(chain->number, bytes, size);
	chain->count = size / sizeof(uint64_t);
	return true;
}

bool set_chain_of(const char *path, struct set_chain *chain, uint64_t *nodes)
{
	struct file_reader *run = open_run(path);
	bool known;

	chain->count = 0;
	*nodes = 0;
	if (!run)
		return false;
	*nodes = file_reader_head(run)->nodes;
	known = set_chain(run, chain);
	file_reader_close(run);
	return known;
}

bool set_region(struct file_reader *run, char place[SET_PLACE_SIZE])
{
	struct file_error error;
	uint64_t size;
	const unsigned char *bytes = file_read_named(run, SET_REGION, &size, &error);

	if (!bytes && !error.number)
		return false;
	snprintf(place, SET_PLACE_SIZE, "%.*s", (int)size, bytes ? (const char *)bytes : "");
	return true;
}

bool set_region_of(const char *path, char place[SET_PLACE_SIZE])
{
	struct file_reader *run = open_run(path);
	bool inside = run && set_region(run, place);

	file_reader_close(run);
	return inside;
}

bool set_is_of_one(const char *path, struct file_reader *run, char other[SET_FILE_SIZE])
{
	const struct file_head *head = file_reader_head(run);

	for (uint32_t i = 0; i < head->nodes; i++) {
		struct file_head node;

		set_file(other, path, (int)i);
		if (file_read_head(other, &node) &&
		    (node.run != head->run || node.number != head->number || node.node != i))
			return false;
	}
	return true;
}

bool set_is_apart(const char *path, uint64_t *run)
{
	struct file_reader *reader = open_run(path);
	bool apart;

	if (!reader)
		return false;
	*run = file_reader_head(reader)->run;
	apart = file_reader_has(reader, SET_APART);
	file_reader_close(reader);
	return apart;
}

/* Whether the folder PATH has a node's file: others may have files by such a name, too. */
static bool has_node(const char *path)
{
	DIR *directory = opendir(path);
	char file[SET_FILE_SIZE + NAME_MAX];
	const struct dirent *entry;
	bool found = false;

	while (directory && !found && (entry = readdir(directory))) {
		snprintf(file, sizeof(file), "%s/%s", path, entry->d_name);
		found = strncmp(entry->d_name, "node-", 5) == 0 && entry->d_name[5] &&
			!entry->d_name[5 + strspn(entry->d_name + 5, DIGITS)] &&
			file_is_checkpoint(file);
	}
	if (directory)
		closedir(directory);
	return found;
}

/*
 * Whether the set is complete, or was so: of what lies there beside nodes' files in place of a
 * checkpoint, an empty file, a folder or a dead link, an error is reported where it is read.
 */
static bool has_run(const char *path)
{
	char file[SET_FILE_SIZE];
	struct stat status;

	set_file(file, path, -1);
	if (lstat(file, &status) < 0)
		return false;
	return file_is_checkpoint(file) || has_node(path);
}

static void mark_path(char mark[SET_PATH_SIZE + 16], const char *path)
{
	snprintf(mark, SET_PATH_SIZE + 16, "%s/" GIVEN_UP, path);
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
static bool is_part(const char *path, const char *name)
{
	char file[SET_PATH_SIZE + NAME_ROOM];
	bool partial;

	snprintf(file, sizeof(file), "%s/%s", path, name);
	return is_name_of_part(name, &partial) && (partial || file_is_checkpoint(file));
}

static bool has_part(const char *path)
{
	DIR *directory = opendir(path);
	const struct dirent *entry;
	bool has = false;

	while (directory && !has && (entry = readdir(directory)))
		has = is_part(path, entry->d_name);
	if (directory)
		closedir(directory);
	return has;
}

enum set_state set_state(const char *path)
{
	char mark[SET_PATH_SIZE + 16], before[SET_PATH_SIZE];
	struct set_chain chain;
	uint64_t nodes;

	if (!has_run(path))
		return has_part(path) ? SET_INCOMPLETE : SET_NONE;
	mark_path(mark, path);
	if (access(mark, F_OK) == 0)
		return SET_GIVEN_UP;
	set_chain_of(path, &chain, &nodes);
	for (size_t i = 0; i < chain.count; i++) {
		set_beside(before, path, chain.number[i]);
		if (!has_run(before))
			return SET_BROKEN;
	}
	return SET_COMPLETE;
}

int set_give_up(const char *path)
{
	char mark[SET_PATH_SIZE + 16];
	int file;

	mark_path(mark, path);
	file = open(mark, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
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
		if (!complete || set_state(path) == SET_COMPLETE)
			found = number;
	}
	if (directory)
		closedir(directory);
	return found;
}

uint64_t set_below(const char *folder, uint64_t below)
{
	return highest(folder, below, false);
}

uint64_t set_next(const char *folder)
{
	return highest(folder, UINT64_MAX, false) + 1;
}

int set_find(const char *folder, char path[SET_PATH_SIZE])
{
	uint64_t number;

	/* As a folder: of a file it is no matter whether it may be executed. */
	snprintf(path, SET_PATH_SIZE, "%.4096s/", folder);
	if (access(path, R_OK | X_OK) < 0)
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
	char folder[SET_PATH_SIZE];
	uint64_t number = strchr(path, '/') ? set_number(path) : 0;

	if (!number)
		return false;
	set_folder(folder, path);
	number = highest(folder, number, true);
	set_path(before, folder, number);
	return number;
}

static void remove_part(const char *path, const char *name)
{
	char file[SET_PATH_SIZE + NAME_ROOM];

	snprintf(file, sizeof(file), "%s/%s", path, name);
	if (strcmp(name, GIVEN_UP) == 0 || is_part(path, name))
		unlink(file);
}

/* Of what is in the set PATH all, or what never became whole; the folder stays. */
static void remove_parts(const char *path, bool all)
{
	const struct dirent *entry;
	DIR *directory;
	bool partial;

	/* Before the others, so that it never is complete without them. */
	if (all)
		remove_part(path, "run");
	directory = opendir(path);
	while (directory && (entry = readdir(directory)))
		if (all || (is_name_of_part(entry->d_name, &partial) && partial))
			remove_part(path, entry->d_name);
	if (directory)
		closedir(directory);
}

void set_remove(const char *folder, uint64_t number)
{
	char path[SET_PATH_SIZE];

	set_path(path, folder, number);
	remove_parts(path, true);
	rmdir(path);
}

/* One of no bytes is of a run that has died while it began. */
static void remove_tokens(const char *folder)
{
	DIR *directory = opendir(folder);
	const struct dirent *entry;
	struct stat status;

	while (directory && (entry = readdir(directory))) {
		const char *name = entry->d_name;
		size_t length = strlen(SET_TOKEN);

		if (strncmp(name, SET_TOKEN, length) == 0 && strlen(name + length) == 16 &&
		    strspn(name + length, DIGITS "abcdef") == 16 &&
		    fstatat(dirfd(directory), name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
		    S_ISREG(status.st_mode) && !status.st_size)
			unlinkat(dirfd(directory), name, 0);
	}
	if (directory)
		closedir(directory);
}

void set_clean(const char *folder, uint64_t kept)
{
	uint64_t newest = highest(folder, UINT64_MAX, false);
	char path[SET_PATH_SIZE], run[SET_FILE_SIZE];

	for (uint64_t next = UINT64_MAX; (next = highest(folder, next, false));) {
		set_path(path, folder, next);
		set_file(run, path, -1);
		/* A complete one was perhaps being brought from another machine, or to it. */
		if (next == kept || access(run, F_OK) == 0 || errno != ENOENT) {
			remove_parts(path, false);
			continue;
		}
		remove_parts(path, true);
		/* Its number is not given again: a node of the dead run may still write there. */
		if (next != newest)
			rmdir(path);
	}
	remove_tokens(folder);
}

/* Sets that stay. */
struct kept {
	uint64_t *number;
	size_t count, capacity;
};

static bool keep_one(struct kept *kept, uint64_t number)
{
	if (cape_memory_grow(&cape_memory_heap, (void **)&kept->number, &kept->capacity,
			     kept->count + 1, sizeof(number)))
		return false;
	kept->number[kept->count++] = number;
	return true;
}

/* NUMBER and what it goes on from.  False: that is not known. */
static bool keep_chain(struct kept *kept, const char *folder, uint64_t number)
{
	char path[SET_PATH_SIZE];
	struct set_chain chain;
	uint64_t nodes;
	bool good;

	set_path(path, folder, number);
	good = set_chain_of(path, &chain, &nodes) && keep_one(kept, number);
	for (size_t i = 0; i < chain.count && good; i++)
		good = keep_one(kept, chain.number[i]);
	return good;
}

static bool is_kept(const struct kept *kept, uint64_t number)
{
	for (size_t i = 0; i < kept->count; i++)
		if (kept->number[i] == number)
			return true;
	return false;
}

void set_prune(const char *folder, uint64_t number, int keep)
{
	struct kept kept = {0};
	uint64_t next = number;
	bool good = true;

	for (; keep > 0 && next && good; keep--) {
		good = keep_chain(&kept, folder, next);
		next = highest(folder, next, true);
	}
	/* Always down: what is somebody else's stays, and no set is without what it goes on from.
	 */
	for (next = number; good && (next = highest(folder, next, false));)
		if (!is_kept(&kept, next))
			set_remove(folder, next);
	free(kept.number);
}
