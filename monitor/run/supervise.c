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
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>
#include "mpirun.h"
#include "relay.h"
#include "stop.h"
#include "words.h"

struct run {
	struct stop stop;
	bool ended;
	int status; /* of cape-run, once mpirun has ended */
	int signals;
	int ended_by; /* the user's signal, or 0 */
	bool told;    /* why the run ended */
	struct relay *relay;
};

static void add_unless_ignored(sigset_t *set, int signal)
{
	struct sigaction action;

	if (sigaction(signal, NULL, &action) == 0 && action.sa_handler != SIG_IGN)
		sigaddset(set, signal);
}

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
	add_unless_ignored(&set, SIGHUP);
	add_unless_ignored(&set, SIGQUIT);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

static void tell(struct run *run, const char *what, int signal)
{
	fprintf(stderr, "cape-run: %s signal %d (%s)\n", what, signal, strsignal(signal));
	run->told = true;
}

static void mpirun_ended(struct run *run, int status)
{
	run->ended = true;
	run->status = WEXITSTATUS(status);
	if (WIFSIGNALED(status)) {
		run->status = 128 + WTERMSIG(status);
		if (!run->stop.asked)
			tell(run, "mpirun was killed by", WTERMSIG(status));
	}
	if (WIFSIGNALED(status) || run->stop.asked)
		stop_orphans();
	relay_source_ended(run->relay);
}

static void read_signals(struct run *run)
{
	struct signalfd_siginfo signal;
	int status;

	while (read(run->signals, &signal, sizeof(signal)) == sizeof(signal)) {
		if (signal.ssi_signo == SIGCHLD)
			continue;
		if (!run->ended_by)
			tell(run, "the run was ended by", (int)signal.ssi_signo);
		run->ended_by = (int)signal.ssi_signo;
		if (!run->ended)
			stop_ask(&run->stop);
	}
	if (!run->ended && waitpid(run->stop.mpirun, &status, WNOHANG) > 0)
		mpirun_ended(run, status);
}

static void wait_for_something(struct run *run)
{
	struct pollfd list[1 + RELAY_WATCHED] = {{run->signals, POLLIN, 0}};
	int patience = run->ended ? -1 : stop_look(&run->stop);
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
		if (relay_failed(run->relay) && !run->stop.asked && !run->ended)
			stop_ask(&run->stop);
	}
	if (relay_failed(run->relay))
		run->status = 1;
}

int supervise(char **command, const char *folder, bool elsewhere, int *ended_by)
{
	struct run run = {.status = 1};
	int output[2];

	prctl(PR_SET_CHILD_SUBREAPER, 1);
	run.signals = take_signals();
	if (run.signals >= 0)
		run.stop.mpirun = mpirun_start(command, output);
	if (run.signals < 0 || run.stop.mpirun < 0) {
		fprintf(stderr, "cape-run: cannot start mpirun: %s\n",
			strerror(run.signals < 0 ? errno : -run.stop.mpirun));
		return 1;
	}
	run.relay = relay_start(output);
	if (!run.relay) {
		fprintf(stderr, "cape-run: out of memory\n");
		kill(run.stop.mpirun, SIGKILL);
		return 1;
	}
	follow(&run);
	if (run.status && !run.told && !relay_failed(run.relay) && !relay_told(run.relay))
		words_tell(folder, run.status, elsewhere);
	*ended_by = run.ended_by;
	relay_stop(run.relay);
	return run.status;
}
