// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * trust.c - looks at each folder and link of a path by its descriptor, from the root on.
 */
#include "trust.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>
#include "set.h"

#define LINKS_LIMIT 40

/* A path that is gone along. */
struct walk {
	int folder; /* open by O_PATH */
	int links;  /* that were followed */
	char *left; /* of the path, to be freed */
	char *why;
};

/* Other users may have rights that the mode does not show. */
static bool has_list(int file)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
	return getxattr(path, "system.posix_acl_access", NULL, 0) > 0;
}

/* Where each user has a group, what that may write to is the user's alone. */
static bool is_group_of_one(uid_t user, gid_t group)
{
	const struct passwd *owner = getpwuid(user);
	const struct group *own = owner ? getgrgid(group) : NULL;

	if (!own || strcmp(own->gr_name, owner->pw_name) != 0)
		return false;
	for (char **member = own->gr_mem; *member; member++)
		if (strcmp(*member, owner->pw_name) != 0)
			return false;
	return true;
}

static bool is_others_to_write(int file, const struct stat *status)
{
	if (status->st_mode & S_IWOTH)
		return true;
	return status->st_mode & S_IWGRP &&
	       (has_list(file) || !is_group_of_one(status->st_uid, status->st_gid));
}

/* No message contains the path, which a link may have led away from what the user knows. */
static void say(int file, const struct stat *status, const char *what, char *why)
{
	const struct passwd *owner = getpwuid(status->st_uid);
	char link[32], path[400];
	ssize_t length;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", file);
	length = readlink(link, path, sizeof(path) - 1);
	path[length > 0 ? length : 0] = '\0';
	snprintf(why, TRUST_WHY_SIZE, "%s belongs to %.40s (user %u) and has mode %04o: %s", path,
		 owner ? owner->pw_name : "nobody known", (unsigned)status->st_uid,
		 (unsigned)status->st_mode & 07777, what);
}

/* Whether FILE is as it is to be; in a folder on the way, whose files stay others', ON_WAY. */
static bool is_trusted(int file, bool on_way, char *why)
{
	struct stat status;

	if (fstat(file, &status) < 0)
		return true;
	if (status.st_uid != geteuid() && status.st_uid != 0) {
		say(file, &status, "another user can change what is there", why);
		return false;
	}
	if (S_ISLNK(status.st_mode) || !is_others_to_write(file, &status) ||
	    (on_way && status.st_mode & S_ISVTX))
		return true;
	say(file, &status, "other users can write to it", why);
	return false;
}

/* TEXT comes before what is left of the path. */
static bool put_before(struct walk *walk, const char *text)
{
	char *left;

	if (asprintf(&left, "%s/%s", text, walk->left) < 0)
		return false;
	free(walk->left);
	walk->left = left;
	return true;
}

static bool begin_at_root(struct walk *walk)
{
	if (walk->folder >= 0)
		close(walk->folder);
	walk->folder = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	return walk->folder >= 0;
}

/* Whether the path goes on where FILE, a link, leads. */
static bool follow(struct walk *walk, int file)
{
	char target[PATH_MAX];
	ssize_t length = readlinkat(file, "", target, sizeof(target) - 1);

	if (length <= 0 || ++walk->links > LINKS_LIMIT)
		return false;
	target[length] = '\0';
	return put_before(walk, target) && (target[0] != '/' || begin_at_root(walk));
}

/* The first name of what is left, which is cut off there.  False: there is none. */
static bool next_name(struct walk *walk, char name[NAME_MAX + 1])
{
	const char *start = walk->left + strspn(walk->left, "/");
	size_t length = strcspn(start, "/");

	if (!length || length > NAME_MAX)
		return false;
	memcpy(name, start, length);
	name[length] = '\0';
	memmove(walk->left, start + length, strlen(start + length) + 1);
	return true;
}

/* Goes on by one name.  *TRUSTED: so far.  False: here it ends. */
static bool step(struct walk *walk, bool *trusted)
{
	struct stat status = {.st_mode = 0};
	char name[NAME_MAX + 1];
	int next;

	if (!next_name(walk, name))
		return false;
	next = openat(walk->folder, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (next < 0)
		return false;
	*trusted = is_trusted(next, walk->left[strspn(walk->left, "/")], walk->why);
	if (!*trusted || fstat(next, &status) < 0) {
		close(next);
		return false;
	}
	if (S_ISLNK(status.st_mode)) {
		bool goes_on = follow(walk, next);

		close(next);
		return goes_on;
	}
	close(walk->folder);
	walk->folder = next;
	return true;
}

bool trust_path(const char *path, char why[TRUST_WHY_SIZE])
{
	struct walk walk = {.folder = -1, .left = strdup(path), .why = why};
	char own[PATH_MAX];
	bool trusted = true, ready = walk.left && begin_at_root(&walk);

	why[0] = '\0';
	if (ready && path[0] != '/')
		ready = getcwd(own, sizeof(own)) && put_before(&walk, own);
	while (ready && trusted && step(&walk, &trusted))
		;
	if (walk.folder >= 0)
		close(walk.folder);
	free(walk.left);
	return trusted;
}

/* The set's folder and its files, of which one may be a link to elsewhere. */
static bool trust_files(const char *set, char why[TRUST_WHY_SIZE])
{
	char file[SET_FILE_SIZE + NAME_MAX];
	const struct dirent *entry;
	bool trusted = trust_path(set, why);
	DIR *folder = trusted ? opendir(set) : NULL;

	while (folder && trusted && (entry = readdir(folder))) {
		if (strcmp(entry->d_name, "run") != 0 && strncmp(entry->d_name, "node-", 5) != 0)
			continue;
		snprintf(file, sizeof(file), "%s/%s", set, entry->d_name);
		trusted = trust_path(file, why);
	}
	if (folder)
		closedir(folder);
	return trusted;
}

bool trust_set(const char *path, char why[TRUST_WHY_SIZE])
{
	char before[SET_PATH_SIZE];
	struct set_chain chain;
	uint64_t nodes;
	bool trusted = trust_files(path, why);

	if (!trusted)
		return false;
	set_chain_of(path, &chain, &nodes);
	for (size_t i = 0; i < chain.count && trusted; i++) {
		set_beside(before, path, chain.number[i]);
		trusted = trust_files(before, why);
	}
	return trusted;
}
