/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * guard.c - ends a monitor whose launcher has died, reports processes that are stopped, and
 * removes the run's folder on this machine at last.
 */
#include "guard.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "common/complain.h"
#include "common/folder.h"
#include "common/keeper.h"
#include "common/process_state.h"

#define LOOK_MS	     1000
#define REPORT_AFTER 10	  /* looks */
#define GRACE_MS     4000 /* of a monitor without a launcher, to end by itself */
#define LAUNCHER_MS  5000 /* of a launcher without a monitor */

/* mpirun's daemon on other machines, in Open MPI 4 and in 5. */
static const char *const remote_agent[] = {"orted", "prted"};

struct watched {
	const char *what;
	pid_t pid;
	int stopped; /* for that many looks, without a step between them */
	unsigned long ticks;
};

struct guard {
	const volatile bool *left;
	const char *folder;
	const char *rank;
	pid_t monitor, launcher;
	struct watched watched[3];
};

static void tell(const struct guard *guard, const struct watched *watched)
{
	char host[65] = "";

	gethostname(host, sizeof(host) - 1);
	inform("node %s: its %s, process %d on %s, has been stopped for %d s; kill -CONT %d lets "
	       "it continue",
	       guard->rank, watched->what, watched->pid, host, REPORT_AFTER * LOOK_MS / 1000,
	       watched->pid);
}

/* A tracer's stops show, too, and last only while the monitor's does. */
static void look_at(struct watched *watched)
{
	struct process_state state;
	bool moved;

	process_state(watched->pid, &state);
	moved = state.ticks != watched->ticks;
	watched->ticks = state.ticks;
	if (state.letter != 'T' && state.letter != 't')
		watched->stopped = 0;
	else if (moved)
		watched->stopped = 1;
	else
		watched->stopped++;
}

static void look_for_stopped(struct guard *guard)
{
	for (size_t i = 0; i < sizeof(guard->watched) / sizeof(guard->watched[0]); i++) {
		struct watched *watched = &guard->watched[i];

		look_at(watched);
		if (watched->stopped == REPORT_AFTER)
			tell(guard, watched);
		if (watched->stopped)
			return;
	}
}

static bool is_gone(int process, int patience)
{
	struct pollfd end = {.fd = process, .events = POLLIN};

	return poll(&end, 1, patience) > 0;
}

static void await_monitor(struct guard *guard, int monitor, int launcher)
{
	struct pollfd end[2] = {{monitor, POLLIN, 0}, {launcher, POLLIN, 0}};

	while (!end[0].revents && !end[1].revents)
		if (poll(end, 2, LOOK_MS) == 0)
			look_for_stopped(guard);
	if (!end[0].revents && !is_gone(monitor, GRACE_MS))
		kill(guard->monitor, SIGKILL);
}

/* Others of the run are likely to learn of it, but not while they start. */
static void tell_death(const struct guard *guard)
{
	const struct fault died = {.kind = FAULT_DIED};
	int folder = *guard->left ? -1 : folder_hold(guard->folder);
	char text[64];

	if (folder < 0)
		return;
	snprintf(text, sizeof(text), "node %s: its monitor has died", guard->rank);
	if (!folder_has(folder, FOLDER_ASKED) &&
	    folder_note_failure(folder, &died, 128 + SIGKILL, text))
		complain("%s", text);
	close(folder);
}

static bool is_remote_agent(const char *name)
{
	for (size_t i = 0; i < sizeof(remote_agent) / sizeof(remote_agent[0]); i++)
		if (strcmp(name, remote_agent[i]) == 0)
			return true;
	return false;
}

/* In the keeper. */
static void watch(void *context)
{
	struct guard *guard = context;
	int monitor = (int)syscall(SYS_pidfd_open, guard->monitor, 0);
	int launcher = (int)syscall(SYS_pidfd_open, guard->launcher, 0);
	struct process_state state;

	if (monitor < 0 || getppid() != guard->monitor)
		return;
	await_monitor(guard, monitor, launcher);
	if (launcher < 0 || !is_gone(launcher, 0))
		tell_death(guard);
	close(STDERR_FILENO);
	/* One that is stopped does not hear that the run is over. */
	if (launcher >= 0 && process_state(guard->launcher, &state) &&
	    is_remote_agent(state.name) && !is_gone(launcher, LAUNCHER_MS))
		kill(guard->launcher, SIGKILL);
}

int guard_start(struct node *node)
{
	const char *rank = getenv("OMPI_COMM_WORLD_RANK"), *path = node->options.folder;
	struct guard guard = {
		.rank = rank ? rank : "?",
		.monitor = getpid(),
		.launcher = node->parent,
		.watched = {{.what = "launcher", .pid = node->parent},
			    {.what = "monitor", .pid = getpid()},
			    {.what = "program", .pid = node->program}},
	};
	pid_t keeper;

	node->left = mmap(NULL, sizeof(*node->left), PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (node->left == MAP_FAILED)
		return -errno;
	guard.left = node->left;
	guard.folder = strdup(path);
	if (!guard.folder)
		return -ENOMEM;
	mkdir(path, 0700);
	/* Where it cannot be had, Open MPI uses its own places. */
	node->folder = folder_hold(path);
	if (node->folder >= 0) {
		/* By its name in Open MPI 4 and in 5. */
		setenv("OMPI_MCA_btl_vader_backing_directory", path, 0);
		setenv("OMPI_MCA_btl_sm_backing_directory", path, 0);
		if (rank && strcmp(rank, "0") == 0)
			folder_note(node->folder, FOLDER_BEGUN);
	}
	/* Its messages are cape-run's to keep apart; a monitor's are the user's. */
	unsetenv("OPAL_OUTPUT_REDIRECT");
	unsetenv("PMIX_OUTPUT_REDIRECT");
	keeper = keeper_start(path, watch, &guard);
	free((char *)guard.folder);
	return keeper < 0 ? keeper : 0;
}

void guard_leave(struct node *node)
{
	if (node->left)
		*node->left = true;
}
