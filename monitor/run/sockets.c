// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sockets.c - starts the monitors of a run without mpirun, with a socket between any two of them.
 *
 * cape-run's child is their parent, and does as mpirun does: when one of them dies, or cape-run
 * asks for the end, all are asked to end, and are killed if they do not.
 */
#include "sockets.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include "command.h"
#include "common/clock.h"
#include "common/complain.h"
#include "common/limits.h"
#include "common/sockets.h"
#include "common/user_signals.h"
#include "launcher.h"

#define PATIENCE_NS 3000000000ull /* for those that were asked to end */
#define LOOK_NS	    100000000
#define OTHER_FILES 64 /* that are open in the starter */

struct starter {
	char **monitor; /* its command line */
	int nodes;
	char seed[32];		   /* of --wire test:SEED, as SOCKETS_SEED_VARIABLE has it */
	pid_t pid[SOCKETS_NODES];  /* 0: it has ended, or is not started */
	int (*end)[SOCKETS_NODES]; /* [A][B]: A's socket to B; -1: none is here */
	int status;		   /* the first that is not 0 */
	struct rlimit files;	   /* that the monitors may open */
	uint64_t ending;	   /* since when they are asked to end; 0: they are not */
};

bool sockets_parse(struct run_options *options, const char *text)
{
	int length = 0;
	bool seeded = text && sscanf(text, "test:%9d%n", &options->seed, &length) == 1 &&
		      options->seed > 0;

	options->cut = seeded && strcmp(text + length, ",cut") == 0;
	options->wire =
		(text && strcmp(text, "test") == 0) || options->cut || (seeded && !text[length]);
	if (!options->wire)
		complain("--wire %s: must be test, or test:SEED, a number from 1 on, or "
			 "test:SEED,cut",
			 text ? text : "");
	return options->wire;
}

/* When node I is started, sockets of all after it to it and to those before are open. */
static rlim_t files_of(int nodes)
{
	const rlim_t count = (rlim_t)nodes;

	return count * count / 4 + count + OTHER_FILES;
}

static bool has_files(int nodes)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_max >= files_of(nodes))
		return true;
	return complain("--wire test needs %d open files for %d nodes, and ulimit -Hn is %llu here",
			(int)files_of(nodes), nodes, (unsigned long long)limit.rlim_max);
}

bool sockets_go(const struct run_options *options)
{
	const char *other = options->mpirun_count ? options->mpirun[0] : "machines of a job";

	if (!options->wire)
		return true;
	if (options->hosts || options->mpirun_count)
		return complain("--wire test does without mpirun, on this machine alone, and "
				"cannot be combined with %s",
				other);
	if (options->nodes > SOCKETS_NODES)
		return complain("--wire test is for %d nodes at most", SOCKETS_NODES);
	return has_files(options->nodes);
}

/* For itself: what monitors may open is as it was. */
static void allow_files(struct starter *starter)
{
	struct rlimit more;

	getrlimit(RLIMIT_NOFILE, &starter->files);
	more = starter->files;
	more.rlim_cur = more.rlim_max;
	setrlimit(RLIMIT_NOFILE, &more);
}

static bool make_table(struct starter *starter)
{
	size_t size = (size_t)starter->nodes * sizeof(*starter->end);

	starter->end = malloc(size);
	if (starter->end)
		memset(starter->end, -1, size);
	return starter->end;
}

/* 0 or -errno. */
static int make_sockets(struct starter *starter, int node)
{
	for (int other = node + 1; other < starter->nodes; other++) {
		int end[2];

		if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, end) < 0)
			return -errno;
		starter->end[node][other] = end[0];
		starter->end[other][node] = end[1];
	}
	return 0;
}

static void close_sockets(struct starter *starter, int node)
{
	for (int other = 0; other < starter->nodes; other++) {
		if (starter->end[node][other] >= 0)
			close(starter->end[node][other]);
		starter->end[node][other] = -1;
	}
}

/* In the child: its own sockets get the lowest numbers, which SOCKETS_VARIABLE lists. */
static bool hand_over(struct starter *starter, int node)
{
	char list[12 * SOCKETS_NODES], number[12];
	size_t used = 0;

	for (int other = 0; other < starter->nodes; other++)
		if (other != node)
			close_sockets(starter, other);
	for (int other = 0; other < starter->nodes; other++) {
		int end = starter->end[node][other], own = -1;

		if (end >= 0) {
			own = fcntl(end, F_DUPFD, STDERR_FILENO + 1);
			close(end);
			if (own < 0)
				return false;
		}
		used += (size_t)snprintf(list + used, sizeof(list) - used, "%d ", own);
	}
	snprintf(number, sizeof(number), "%d", node);
	return setenv(SOCKETS_VARIABLE, list, 1) == 0 &&
	       setenv(SOCKETS_SEED_VARIABLE, starter->seed, 1) == 0 &&
	       setenv("OMPI_COMM_WORLD_RANK", number, 1) == 0;
}

/* In the child; each monitor and its program are a process group. */
static int become_monitor(struct starter *starter, int node, const sigset_t *signals)
{
	setpgid(0, 0);
	sigprocmask(SIG_SETMASK, signals, NULL);
	if (hand_over(starter, node) && setrlimit(RLIMIT_NOFILE, &starter->files) == 0)
		execv(starter->monitor[0], starter->monitor);
	complain("cannot run %s: %s", starter->monitor[0], strerror(errno));
	return 127;
}

static void kill_all(const struct starter *starter, int signal)
{
	for (int node = 0; node < starter->nodes; node++)
		if (starter->pid[node])
			kill(starter->pid[node], signal);
}

static void end_all(struct starter *starter)
{
	if (starter->ending)
		return;
	starter->ending = clock_now();
	kill_all(starter, SIGCONT);
	kill_all(starter, SIGTERM);
}

static void start_all(struct starter *starter, const sigset_t *signals)
{
	int error = 0;
	char why[512];

	for (int node = 0; node < starter->nodes && !error; node++) {
		error = make_sockets(starter, node);
		if (error)
			break;
		starter->pid[node] = fork();
		if (starter->pid[node] == 0)
			_exit(become_monitor(starter, node, signals));
		error = starter->pid[node] < 0 ? -errno : 0;
		close_sockets(starter, node);
	}
	if (!error)
		return;
	complain("cannot start the monitors: %s", limits_why(-error, why, sizeof(why)));
	starter->status = 1;
	end_all(starter);
}

/* Whether any is left. */
static bool take_ends(struct starter *starter)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		int code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);

		for (int node = 0; node < starter->nodes; node++)
			if (starter->pid[node] == pid)
				starter->pid[node] = 0;
		if (code && !starter->status)
			starter->status = code;
		if (code)
			end_all(starter);
	}
	return pid == 0;
}

/* In cape-run's child, in a session of its own. */
static int start(const struct command *command)
{
	const struct timespec patience = {.tv_nsec = LOOK_NS};
	const struct run_options *options = command->options;
	struct starter starter = {.monitor = command->list, .nodes = options->nodes};
	sigset_t set, before;

	prctl(PR_SET_NAME, SOCKETS_STARTER);
	snprintf(starter.seed, sizeof(starter.seed), options->cut ? "%d,%d" : "%d", options->seed,
		 options->lost_after);
	if (access(starter.monitor[0], X_OK) < 0) {
		complain("--wire test is for CAPE's own tests, and is not here: %s: %s",
			 starter.monitor[0], strerror(errno));
		return 127;
	}
	if (!make_table(&starter)) {
		complain("out of memory");
		return 1;
	}
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	user_signals_add(&set);
	sigprocmask(SIG_BLOCK, &set, &before);
	allow_files(&starter);
	start_all(&starter, &before);
	while (take_ends(&starter)) {
		int signal = sigtimedwait(&set, NULL, &patience);

		if (signal > 0 && signal != SIGCHLD)
			end_all(&starter);
		if (starter.ending && clock_now() - starter.ending > PATIENCE_NS)
			kill_all(&starter, SIGKILL);
	}
	free(starter.end);
	return starter.status;
}

const struct launcher sockets_launcher = {
	.name = "the monitors' starter",
	.monitor = "../lib/cape/sockets/cape-monitor",
	.awaited = "no monitor for node 0 has begun yet",
	.joining = "the monitors wait for each other",
	.start = start,
};
