// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * processes.c - the user's limit on processes, and those of the cgroup and all that it lies in.
 */
#include "processes.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include "process_state.h"

/* Of linux/capability.h: whoever has one of these is not limited. */
#define SYS_ADMIN    21
#define SYS_RESOURCE 24

#define LINE 8192

/* Root in a user namespace of somebody's is that somebody. */
static bool in_first_namespace(void)
{
	unsigned inside, outside, count;
	FILE *file = fopen("/proc/self/uid_map", "re");
	bool first =
		file && fscanf(file, "%u %u %u", &inside, &outside, &count) == 3 && count == ~0u;

	if (file)
		fclose(file);
	return first;
}

static bool is_limited(void)
{
	const unsigned long long free_of_it = 1ull << SYS_ADMIN | 1ull << SYS_RESOURCE;

	return !in_first_namespace() ||
	       (getuid() != 0 && !(process_number(getpid(), "CapEff", 16) & free_of_it));
}

/* Processes and threads of this user's, as far as they can be seen here. */
static unsigned long long count_users(void)
{
	unsigned long long count = 0;
	DIR *list = opendir("/proc");
	struct dirent *entry;

	while (list && (entry = readdir(list))) {
		pid_t pid = atoi(entry->d_name);

		if (pid && process_number(pid, "Uid", 10) == getuid())
			count += process_number(pid, "Threads", 10);
	}
	if (list)
		closedir(list);
	return count;
}

static void find_of_user(struct processes *found, unsigned long long least)
{
	struct rlimit limit;

	*found = (struct processes){.limit = PROCESSES_UNLIMITED};
	if (getrlimit(RLIMIT_NPROC, &limit) < 0 || limit.rlim_cur == RLIM_INFINITY || !is_limited())
		return;
	found->limit = PROCESSES_OF_USER;
	found->there = count_users();
	if (limit.rlim_cur < found->there + least) {
		limit.rlim_cur = found->there + least < limit.rlim_max ? found->there + least
								       : limit.rlim_max;
		setrlimit(RLIMIT_NPROC, &limit);
	}
	found->most = limit.rlim_cur;
}

static bool read_number(const char *folder, const char *name, unsigned long long *number)
{
	char path[PATH_MAX + 32];
	FILE *file;
	bool read;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "re");
	read = file && fscanf(file, "%llu", number) == 1;
	if (file)
		fclose(file);
	return read;
}

/* Of FOLDER, as long as its name is longer than AT, and those that it lies in. */
static void look_at_groups(char *folder, size_t at, struct processes *least)
{
	struct processes found = {.limit = PROCESSES_OF_GROUP};
	char *slash;

	for (;;) {
		/* "max" is no number. */
		if (read_number(folder, "pids.max", &found.most) &&
		    read_number(folder, "pids.current", &found.there) &&
		    processes_room(&found) < processes_room(least)) {
			snprintf(found.group, sizeof(found.group), "%s", folder);
			*least = found;
		}
		slash = strrchr(folder, '/');
		if (strlen(folder) <= at || !slash || (size_t)(slash - folder) < at)
			return;
		*slash = '\0';
	}
}

/* Whether the words between commas in LIST have WORD. */
static bool has_word(const char *list, const char *word)
{
	size_t length = strlen(word);

	for (; list; list = strchr(list, ',') ? strchr(list, ',') + 1 : NULL)
		if (strncmp(list, word, length) == 0 && strchr(",\n", list[length]))
			return true;
	return false;
}

/* This process's cgroup PATH in the hierarchy for pids, of version 1, or in that of VERSION 2. */
static bool find_path(int version, char path[PATH_MAX])
{
	FILE *file = fopen("/proc/self/cgroup", "re");
	char line[LINE], *controllers, *at;
	bool found = false;

	while (file && !found && fgets(line, sizeof(line), file)) {
		controllers = strchr(line, ':');
		at = controllers ? strchr(controllers + 1, ':') : NULL;
		if (!at)
			continue;
		*at++ = '\0';
		found = version == 2 ? !controllers[1] : has_word(controllers + 1, "pids");
		at[strcspn(at, "\n")] = '\0';
		snprintf(path, PATH_MAX, "%s", at);
	}
	if (file)
		fclose(file);
	return found;
}

/* Looks at the groups of VERSION where LINE, of mountinfo, is a mount of them; PATH: this one's. */
static void look_at_mount(const char *line, int version, const char *path, struct processes *least)
{
	char root[PATH_MAX], point[PATH_MAX], folder[PATH_MAX], type[32], options[LINE];
	const char *rest = strstr(line, " - ");
	size_t size;

	if (!rest || sscanf(line, "%*d %*d %*s %4095s %4095s", root, point) != 2 ||
	    sscanf(rest, " - %31s %*s %8191s", type, options) != 2 ||
	    strcmp(type, version == 2 ? "cgroup2" : "cgroup") != 0 ||
	    (version == 1 && !has_word(options, "pids")))
		return;
	/* A mount may show a part of the tree, to those inside; others see no more than its top. */
	size = strcmp(root, "/") == 0 ? 0 : strlen(root);
	if (strncmp(path, root, size) != 0 || strstr(path, "/.."))
		path = "";
	else
		path += size;
	if (strcmp(path, "/") == 0)
		path = "";
	if ((size_t)snprintf(folder, sizeof(folder), "%s%s", point, path) < sizeof(folder))
		look_at_groups(folder, strlen(point), least);
}

static void find_of_group(struct processes *least, int version)
{
	FILE *file = fopen("/proc/self/mountinfo", "re");
	char line[LINE], path[PATH_MAX];

	if (!find_path(version, path))
		path[0] = '\0';
	while (file && path[0] && fgets(line, sizeof(line), file))
		look_at_mount(line, version, path, least);
	if (file)
		fclose(file);
}

void processes_find(struct processes *processes, unsigned long long least)
{
	find_of_user(processes, least);
	for (int version = 1; version <= 2; version++)
		find_of_group(processes, version);
}

unsigned long long processes_room(const struct processes *processes)
{
	if (processes->limit == PROCESSES_UNLIMITED)
		return ULLONG_MAX;
	return processes->most > processes->there ? processes->most - processes->there : 0;
}

const char *processes_describe(const struct processes *processes, char *text, size_t size)
{
	if (processes->limit == PROCESSES_OF_USER)
		snprintf(text, size,
			 "the limit ulimit -u is %llu processes and threads, of which this user "
			 "has %llu already",
			 processes->most, processes->there);
	else
		snprintf(text, size,
			 "the limit pids.max of the cgroup %.300s is %llu processes and threads, "
			 "of which there are %llu already",
			 processes->group, processes->most, processes->there);
	return text;
}
