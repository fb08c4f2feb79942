/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stop.c - ends the launcher and what it leaves.
 *
 * It is asked once: a second signal while it starts processes can leave mpirun waiting for itself.
 * As cape-run is the reaper of its descendants, what loses its parent becomes its child.
 */
#include "stop.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "common/folder.h"
#include "common/clock.h"
#include "common/keeper.h"
#include "common/process_state.h"

#define PATIENCE_MS	4000
#define KEEPERS_MS	3000
#define KEEPERS_SOON_MS 50 /* then it is worth a look whether there are any */
#define KEEPERS_NAP_NS	2000000
#define ORPHANS_ROUNDS	100

uint64_t stop_now(void)
{
	return clock_now() / 1000000;
}

void stop_force(struct stop *stop)
{
	if (stop->forced)
		return;
	stop->forced = true;
	kill(stop->launcher, SIGKILL);
}

void stop_ask(struct stop *stop)
{
	if (stop->asked) {
		stop_force(stop);
		return;
	}
	stop->asked = stop_now();
	folder_note(stop->folder, FOLDER_ASKED);
	kill(stop->launcher, SIGTERM);
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

/*
 * Whether PID is a child of this process and of the run; a keeper only if KEEPERS.  Children that
 * the caller had before it became cape-run are in its session, and what the run starts is not.
 */
static bool is_of_run(pid_t pid, bool keepers)
{
	struct process_state state;

	return process_state(pid, &state) && state.parent == getpid() &&
	       state.session != getsid(0) && (keepers || strcmp(state.name, KEEPER_NAME) != 0);
}

/* The next such child in /proc, or 0. */
static pid_t next_child(DIR *list, bool keepers)
{
	struct dirent *entry;

	while (list && (entry = readdir(list)))
		if (is_of_run(atoi(entry->d_name), keepers))
			return atoi(entry->d_name);
	return 0;
}

static bool kill_orphans(void)
{
	DIR *list = opendir("/proc");
	bool any = false;
	pid_t orphan;

	while ((orphan = next_child(list, false))) {
		kill(orphan, SIGKILL);
		waitpid(orphan, NULL, 0);
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

/*
 * As the kernel lists them for this process's one thread, which takes less than to look at all
 * processes of a machine.  Another that ends meanwhile may hide one, which is then not waited
 * for.  -1: this kernel does not list them.
 */
static int any_listed(void)
{
	FILE *file = fopen("/proc/thread-self/children", "re");
	int any = file ? 0 : -1, pid;

	while (file && !any && fscanf(file, "%d", &pid) == 1)
		any = is_of_run(pid, true);
	if (file)
		fclose(file);
	return any;
}

static bool any_left(void)
{
	int listed = any_listed();
	DIR *list;
	bool any;

	if (listed >= 0)
		return listed;
	list = opendir("/proc");
	any = next_child(list, true) != 0;
	if (list)
		closedir(list);
	return any;
}

void stop_await_keepers(void)
{
	uint64_t began = stop_now(), passed = 0;
	pid_t ended;

	while ((ended = waitpid(-1, NULL, WNOHANG)) >= 0 && passed < KEEPERS_MS) {
		if (ended == 0)
			nanosleep(&(struct timespec){.tv_nsec = KEEPERS_NAP_NS}, NULL);
		passed = stop_now() - began;
		if (ended == 0 && passed > KEEPERS_SOON_MS && !any_left())
			break;
	}
}
