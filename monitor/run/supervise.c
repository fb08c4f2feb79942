/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * supervise.c - waits for all that can happen at once: signals, mpirun's end, bytes.
 */
#include "supervise.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>
#include "mpirun.h"
#include "relay.h"

struct run {
	pid_t mpirun;
	bool ended;
	int status; /* of cape-run, once mpirun has ended */
	int signals;
	bool stopping; /* mpirun was told to end because output cannot be written */
	struct relay *relay;
};

/* They come through a descriptor, and are blocked until mpirun's child has set them free. */
static int take_signals(void)
{
	sigset_t set;

	/* Ignored by the caller, it would leave no status of mpirun. */
	signal(SIGCHLD, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

static void mpirun_ended(struct run *run, int status)
{
	run->ended = true;
	run->status = WEXITSTATUS(status);
	if (WIFSIGNALED(status)) {
		run->status = 128 + WTERMSIG(status);
		if (!run->stopping)
			fprintf(stderr, "cape-run: mpirun was killed by signal %d (%s)\n",
				WTERMSIG(status), strsignal(WTERMSIG(status)));
	}
	relay_source_ended(run->relay);
}

static void read_signals(struct run *run)
{
	struct signalfd_siginfo signal;
	int status;

	while (read(run->signals, &signal, sizeof(signal)) == sizeof(signal))
		if (signal.ssi_signo != SIGCHLD && !run->ended)
			kill(run->mpirun, (int)signal.ssi_signo);
	if (!run->ended && waitpid(run->mpirun, &status, WNOHANG) > 0)
		mpirun_ended(run, status);
}

static void wait_for_something(struct run *run)
{
	struct pollfd list[1 + RELAY_WATCHED] = {{run->signals, POLLIN, 0}};
	int patience = -1;
	size_t count = relay_watch(run->relay, list + 1, &patience);

	if (poll(list, 1 + count, patience) < 0)
		return;
	relay_serve(run->relay, list + 1, count);
	if (list[0].revents)
		read_signals(run);
}

static void follow(struct run *run)
{
	while (!run->ended || !relay_idle(run->relay)) {
		wait_for_something(run);
		if (relay_failed(run->relay) && !run->stopping && !run->ended) {
			run->stopping = true;
			kill(run->mpirun, SIGTERM);
		}
	}
	if (relay_failed(run->relay))
		run->status = 1;
}

int supervise(char **command)
{
	struct run run = {.status = 1};
	int output[2];

	run.signals = take_signals();
	if (run.signals >= 0)
		run.mpirun = mpirun_start(command, output);
	if (run.signals < 0 || run.mpirun < 0) {
		fprintf(stderr, "cape-run: cannot start mpirun: %s\n",
			strerror(run.signals < 0 ? errno : -run.mpirun));
		return 1;
	}
	run.relay = relay_start(output);
	if (!run.relay) {
		fprintf(stderr, "cape-run: out of memory\n");
		kill(run.mpirun, SIGTERM);
		return 1;
	}
	follow(&run);
	relay_stop(run.relay);
	return run.status;
}
