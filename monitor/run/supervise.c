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
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>
#include "common/connection.h"
#include "common/folder.h"
#include "common/limits.h"
#include "mpirun.h"
#include "relay.h"
#include "stop.h"
#include "words.h"

/* How often to look how the run stands, and how long it may take to end when it has failed. */
#define LOOK_MS		 500
#define FAILED_MS	 5000
#define PATIENCE_OF_USER 1000 /* milliseconds without a byte, after the user's signal */

struct run {
	struct stop stop;
	bool ended;
	int status; /* of cape-run, once mpirun has ended */
	int signals;
	int ended_by; /* the signal of the user, or SIGPIPE, to die of; or 0 */
	bool told;    /* why the run ended */
	bool killed;  /* mpirun, and not from here */
	const char *folder;
	uint64_t failed_since; /* milliseconds: a monitor has told why the run fails */
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
		run->killed = !run->stop.asked && !run->stop.forced;
		if (run->killed)
			tell(run, "mpirun was killed by", WTERMSIG(status));
	}
	if (WIFSIGNALED(status) || run->stop.asked ||
	    folder_status(run->folder, FOLDER_FAILED, NULL, 0) >= 0)
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

/*
 * A run that has failed ends by itself where all machines can be reached.  Returns after how many
 * milliseconds to look again.
 */
static int look(struct run *run)
{
	int next;

	if (!run->failed_since && folder_status(run->folder, FOLDER_FAILED, NULL, 0) >= 0)
		run->failed_since = stop_now();
	if (run->failed_since && stop_now() - run->failed_since > FAILED_MS)
		stop_force(&run->stop);
	next = stop_look(&run->stop);
	return next < 0 || next > LOOK_MS ? LOOK_MS : next;
}

/* Whether something happened. */
static bool wait_for_something(struct run *run)
{
	struct pollfd list[1 + RELAY_WATCHED] = {{run->signals, POLLIN, 0}};
	int patience = run->ended ? -1 : look(run);
	size_t count;
	int ready;

	if (run->ended && run->ended_by)
		patience = PATIENCE_OF_USER;
	count = relay_watch(run->relay, list + 1, &patience);
	ready = poll(list, 1 + count, patience);
	if (ready < 0)
		return true;
	relay_serve(run->relay, list + 1, count);
	if (list[0].revents)
		read_signals(run);
	return ready > 0;
}

static void follow(struct run *run)
{
	bool happens = true;

	/* Who has ended the run does not wait for a reader who takes nothing. */
	while (!run->ended || (!relay_idle(run->relay) && (happens || !run->ended_by))) {
		happens = wait_for_something(run);
		if (relay_state(run->relay) >= RELAY_FAILED && !run->stop.asked && !run->ended)
			stop_ask(&run->stop);
	}
}

/* What became of the output, and with that of the run. */
static void judge(struct run *run, bool elsewhere)
{
	char text[2048];
	int failed = folder_status(run->folder, FOLDER_FAILED, text, sizeof(text));

	switch (relay_state(run->relay)) {
	case RELAY_FAILED:
		run->status = 1;
		return;
	case RELAY_BROKEN_PIPE:
		run->ended_by = SIGPIPE;
		return;
	case RELAY_LOST:
		if (run->status || failed >= 0 || run->ended_by)
			break;
		fprintf(stderr,
			"cape-run: output of the program was lost: node 0 ended without its "
			"last word\n");
		run->status = 1;
		return;
	case RELAY_WHOLE:
		break;
	}
	if (failed < 0 && !run->ended_by && relay_status(run->relay) >= 0) {
		run->status = relay_status(run->relay);
	} else if (failed >= 0 && !run->ended_by) {
		run->status = failed;
		/* mpirun may not have passed it on. */
		if (!relay_told(run->relay))
			fprintf(stderr, "cape-run: %s\n", text);
		if (!relay_begun(run->relay))
			words_tell_start(run->folder);
		else if (strcmp(text, FOLDER_MPIRUN_DIED) == 0)
			words_tell_loss(run->folder);
	} else if (run->status && !run->told && !(elsewhere && relay_told(run->relay))) {
		words_tell(run->folder, run->status, relay_begun(run->relay),
			   elsewhere && relay_state(run->relay) == RELAY_WHOLE);
	}
}

/* Who says nothing, although the run had begun, has died; so has an mpirun that began none. */
static struct fault fault_of(const struct run *run)
{
	const struct fault *told = relay_fault(run->relay);
	struct fault fault = {.kind = FAULT_NONE};

	if (run->ended_by || relay_state(run->relay) == RELAY_FAILED)
		return fault;
	if (told)
		return *told;
	if (relay_state(run->relay) == RELAY_LOST || run->killed)
		fault.kind = FAULT_DIED;
	return fault;
}

/* mpirun gives it to node 0's monitor (mpirun_command_make()). */
static int publish_invitation(const struct relay *relay)
{
	char *text = relay_invitation(relay);
	int error = text ? setenv(CONNECTION_VARIABLE, text, 1) : -1;

	free(text);
	return error;
}

int supervise(char **command, char **arguments, const struct place *place, struct trace *trace,
	      bool elsewhere, struct ending *ending)
{
	struct run run = {
		.status = 1,
		.folder = place->folder,
		.stop.folder = place->lock,
		.relay = relay_start(arguments, trace, place->aside),
	};
	int output[2];
	char why[512];

	if (!run.relay || publish_invitation(run.relay) < 0) {
		fprintf(stderr, "cape-run: out of memory\n");
		goto stop_relay;
	}
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	run.signals = take_signals();
	run.stop.mpirun = run.signals < 0 ? -errno : mpirun_start(command, output);
	if (run.stop.mpirun < 0) {
		fprintf(stderr, "cape-run: cannot start mpirun: %s\n",
			limits_why(-run.stop.mpirun, why, sizeof(why)));
		goto stop_relay;
	}
	relay_source_started(run.relay, output);
	follow(&run);
	judge(&run, elsewhere);
	*ending = (struct ending){
		.by = run.ended_by,
		.begun = relay_begun(run.relay),
		.has_read = relay_has_read(run.relay),
		.fault = fault_of(&run),
	};
	close(run.signals);
stop_relay:
	if (run.relay)
		relay_stop(run.relay);
	return run.status;
}
