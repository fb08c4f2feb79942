/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * folder.c - makes, holds and removes the folders of runs.
 *
 * A folder is this user's alone, and its name says whose it is.  mpirun's daemons may make it on
 * other machines, before a monitor there can hold it: one that never was held is removed when it
 * is too old to belong to a run that only starts.
 */
#include "folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#define HELD_NAME     "held"
#define TRIES	      20
#define NAME_BYTES    5	  /* by chance, in a folder's name */
#define STARTS_WITHIN 600 /* seconds */
/* What Open MPI puts there: for each node's shared memory, and for all; without any of that. */
#define ROOM_OF_NODE (5ull << 20)
#define ROOM_OF_ALL  (12ull << 20)
#define ROOM_LEAST   (512ull << 10)

static uint64_t room_in(const char *base)
{
	struct statvfs status;

	if (!base || base[0] != '/' || access(base, W_OK | X_OK) < 0 || statvfs(base, &status) < 0)
		return 0;
	return status.f_bavail * status.f_frsize;
}

static uint64_t room_of(int nodes)
{
	return (uint64_t)nodes * ROOM_OF_NODE + ROOM_OF_ALL;
}

/* Where there is room for all; else where there is most. */
static const char *choose_base(int nodes, uint64_t *room)
{
	const char *base[] = {"/dev/shm", getenv("TMPDIR"), "/tmp"}, *best = NULL;

	*room = 0;
	for (size_t i = 0; i < sizeof(base) / sizeof(base[0]); i++) {
		uint64_t here = room_in(base[i]);

		if (here > *room) {
			*room = here;
			best = base[i];
		}
		if (here >= room_of(nodes))
			break;
	}
	return best;
}

const char *folder_base(int nodes)
{
	uint64_t room;
	const char *base = choose_base(nodes, &room);

	return base ? base : "/dev/shm";
}

enum folder_room folder_room(const char *base, int nodes)
{
	uint64_t room = room_in(base);

	if (room < ROOM_LEAST)
		return FOLDER_NO_ROOM;
	return room < room_of(nodes) ? FOLDER_CRAMPED : FOLDER_AMPLE;
}

/* A folder of this user's that is still in its place. */
static int open_own(const char *path)
{
	int folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat status;

	if (folder < 0)
		return -errno;
	if (fstat(folder, &status) == 0 && status.st_uid == geteuid())
		return folder;
	close(folder);
	return -EPERM;
}

static bool is_removed(int folder)
{
	struct stat status;

	return fstat(folder, &status) < 0 || status.st_nlink == 0;
}

void folder_note(int folder, const char *name)
{
	int file = openat(folder, name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	if (file >= 0)
		close(file);
}

bool folder_has(int folder, const char *name)
{
	return faccessat(folder, name, F_OK, 0) == 0;
}

bool folder_is_noted(const char *path, const char *name)
{
	char *full;
	bool there;

	if (asprintf(&full, "%s/%s", path, name) < 0)
		return true;
	there = access(full, F_OK) == 0;
	free(full);
	return there;
}

int folder_hold(const char *path)
{
	int folder = open_own(path);

	if (folder < 0)
		return folder;
	/* Somebody may be removing it. */
	if (flock(folder, LOCK_SH | LOCK_NB) < 0 || is_removed(folder)) {
		close(folder);
		return -ESTALE;
	}
	folder_note(folder, HELD_NAME);
	return folder;
}

int folder_choose(int nodes, char **path, bool *cramped)
{
	uint64_t room, chance = 0;
	const char *base = choose_base(nodes, &room);

	*cramped = room < room_of(nodes);
	if (room < ROOM_LEAST)
		return -ENOSPC;
	if (getrandom(&chance, NAME_BYTES, 0) < 0)
		return -errno;
	if (asprintf(path, "%s/cape-run-%u-%0*llx", base, (unsigned)geteuid(), 2 * NAME_BYTES,
		     (unsigned long long)chance) < 0)
		return -ENOMEM;
	return 0;
}

/* Whoever sweeps may look at it before it is held, or remove it. */
int folder_make(const char *path)
{
	int lock = -ESTALE;

	for (int i = 0; i < TRIES && lock == -ESTALE; i++) {
		if (mkdir(path, 0700) < 0 && (errno != EEXIST || !i))
			return -errno;
		lock = folder_hold(path);
	}
	if (lock >= 0)
		fcntl(lock, F_SETFD, 0);
	return lock;
}

/* Whoever reads it finds all of it: its writer may be ended at any time. */
bool folder_note_failure(int folder, const struct fault *fault, int status, const char *text)
{
	char name[sizeof(FOLDER_FAILED) + 16];
	bool first = true;
	int file;

	snprintf(name, sizeof(name), FOLDER_FAILED "-%d", getpid());
	file = openat(folder, name, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (file < 0)
		return !folder_has(folder, FOLDER_FAILED);
	dprintf(file, "%d %u\n%s\n%s", status, fault->kind, fault->host, text);
	close(file);
	if (linkat(folder, name, folder, FOLDER_FAILED, 0) < 0)
		first = errno != EEXIST;
	unlinkat(folder, name, 0);
	return first;
}

/* 0, or below it if there is no such line. */
static int read_fault(FILE *file, uint32_t kind, struct fault *fault)
{
	char host[FAULT_HOST + 1] = "";

	if (kind > FAULT_LATE || !fgets(host, sizeof(host), file))
		return -1;
	host[strcspn(host, "\n")] = '\0';
	if (!fault)
		return 0;
	fault->kind = kind;
	memcpy(fault->host, host, FAULT_HOST);
	fault->host[FAULT_HOST - 1] = '\0';
	return 0;
}

int folder_failure(const char *path, struct fault *fault, char *text, size_t size)
{
	int status = -1;
	uint32_t kind;
	char *full;
	FILE *file;

	if (asprintf(&full, "%s/" FOLDER_FAILED, path) < 0)
		return -1;
	file = fopen(full, "re");
	free(full);
	if (!file)
		return -1;
	if (fscanf(file, "%d %u%*c", &status, &kind) != 2 || read_fault(file, kind, fault) < 0)
		status = -1;
	if (size)
		text[fread(text, 1, size - 1, file)] = '\0';
	fclose(file);
	return status;
}

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *at)
{
	(void)status;
	(void)kind;
	(void)at;
	remove(path);
	return 0;
}

/* What a process that dies makes meanwhile needs another round. */
static void remove_tree(const char *path)
{
	for (int i = 0; i < TRIES && access(path, F_OK) == 0; i++) {
		if (i)
			nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
		nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
	}
}

void folder_remove(const char *path)
{
	int folder = open_own(path);

	if (folder < 0)
		return;
	while (flock(folder, LOCK_EX) < 0 && errno == EINTR)
		;
	remove_tree(path);
	close(folder);
}

static bool is_dead(int folder)
{
	struct stat status;

	if (flock(folder, LOCK_EX | LOCK_NB) < 0)
		return false;
	if (folder_has(folder, HELD_NAME))
		return true;
	return fstat(folder, &status) == 0 && time(NULL) - status.st_ctime > STARTS_WITHIN;
}

static void sweep_one(const char *path)
{
	int folder = open_own(path);

	if (folder < 0)
		return;
	if (is_dead(folder))
		remove_tree(path);
	close(folder);
}

void folder_sweep(const char *path)
{
	char *base = strdup(path), *slash = base ? strrchr(base, '/') : NULL, *other;
	struct dirent *entry;
	char prefix[32];
	DIR *list;

	if (!slash)
		goto out;
	*slash = '\0';
	snprintf(prefix, sizeof(prefix), "cape-run-%u-", (unsigned)geteuid());
	list = opendir(base);
	while (list && (entry = readdir(list))) {
		if (strncmp(entry->d_name, prefix, strlen(prefix)) != 0 ||
		    asprintf(&other, "%s/%s", base, entry->d_name) < 0)
			continue;
		sweep_one(other);
		free(other);
	}
	if (list)
		closedir(list);
out:
	free(base);
}
