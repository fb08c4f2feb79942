/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stop.c - ends mpirun and what it leaves.
 *
 * mpirun is asked once: a second signal while it starts processes can leave it waiting for itself.
 * As cape-run is the reaper of its descendants, what loses its parent becomes its child.
 */
#include "stop.h"

#include <ctype.h>
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "common/folder.h"
#include "common/keeper.h"

#define PATIENCE_MS    4000
#define KEEPERS_MS     3000
#define KEEPERS_NAP_NS 2000000
#define ORPHANS_ROUNDS 100

uint64_t stop_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

void stop_force(struct stop *stop)
{
	if (stop->forced)
		return;
	stop->forced = true;
	kill(stop->mpirun, SIGKILL);
}

void stop_ask(struct stop *stop)
{
	if (stop->asked) {
		stop_force(stop);
		return;
	}
	stop->asked = stop_now();
	folder_note(stop->folder, FOLDER_ASKED);
	kill(stop->mpirun, SIGTERM);
}

int stop_look(struct stop *stop)
{
	uint64_t passed = stop_now() - stop->asked;

	if (!stop->asked || stop->forced)
		return -1;
	if (passed < PATIENCE_MS)
		return (int)(PATIENCE_MS - passed);
	stop_force(stop);
	return -1;
}

/* Whether PID is this process's child, and no keeper. */
static bool is_orphan(const char *pid)
{
	char path[64], line[256], *end;
	size_t size;
	int parent;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%.20s/stat", pid);
	file = fopen(path, "re");
	if (!file)
		return false;
	size = fread(line, 1, sizeof(line) - 1, file);
	fclose(file);
	line[size] = '\0';
	end = strrchr(line, ')');
	return end && sscanf(end, ") %*c %d", &parent) == 1 && parent == getpid() &&
	       !strstr(line, "(" KEEPER_NAME ")");
}

static bool kill_orphans(void)
{
	DIR *list = opendir("/proc");
	struct dirent *entry;
	bool any = false;

	while (list && (entry = readdir(list))) {
		if (!isdigit((unsigned char)entry->d_name[0]) || !is_orphan(entry->d_name))
			continue;
		kill(atoi(entry->d_name), SIGKILL);
		waitpid(atoi(entry->d_name), NULL, 0);
		any = true;
	}
	if (list)
		closedir(list);
	return any;
}

/* The children of those that die come next. */
void stop_orphans(void)
{
	for (int i = 0; i < ORPHANS_ROUNDS && kill_orphans(); i++)
		;
}

void stop_await_keepers(void)
{
	uint64_t began = stop_now();
	pid_t ended;

	while ((ended = waitpid(-1, NULL, WNOHANG)) >= 0 && stop_now() - began < KEEPERS_MS)
		if (ended == 0)
			nanosleep(&(struct timespec){.tv_nsec = KEEPERS_NAP_NS}, NULL);
}
