/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * supervise.c - waits for all that can happen at once: signals, the launcher's end, bytes.
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
#include "common/complain.h"
#include "common/connection.h"
#include "common/folder.h"
#include "common/limits.h"
#include "common/user_signals.h"
#include "launcher.h"
#include "relay.h"
#include "start.h"
#include "stop.h"
#include "words.h"

/* How often to look how the run stands; how long it may take to end when it has failed, or is over.
 */
#define LOOK_MS		 500
#define FAILED_MS	 5000
#define OVER_MS		 10000
#define PATIENCE_OF_USER 1000 /* milliseconds without a byte, after the user's signal */

struct run {
	const struct launcher *launcher;
	struct stop stop;
	struct start start;
	bool ended;
	int status;   /* of cape-run, once the launcher has ended */
	int launched; /* the launcher's */
	int signals;
	int ended_by;  /* the signal of the user, or SIGPIPE, to die of; or 0 */
	bool reported; /* why the run ended */
	bool killed;   /* the launcher, and not from here */
	const char *folder;
	uint64_t failed_since; /* milliseconds: a monitor has reported why the run fails, */
	uint64_t over_since;   /* or that all is said */
	struct relay *relay;
};

/* They come through a descriptor, and are blocked until the launcher has set them free. */
static int take_signals(void)
{
	sigset_t set;

	/* Ignored by the caller, it would leave no status of a child. */
	signal(SIGCHLD, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	user_signals_add(&set);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

static void tell(struct run *run, const char *what, int signal)
{
	complain("%s signal %d (%s)", what, signal, strsignal(signal));
	run->reported = true;
}

/* Not from here.  Of a run of which somebody has said why it failed, no more is. */
static void launcher_killed(struct run *run, int signal)
{
	const struct fault died = {.kind = FAULT_DIED};
	char what[64];

	run->killed = true;
	if (run->launcher->death) {
		folder_note_failure(run->stop.folder, &died, 128 + signal, run->launcher->death);
		return;
	}
	snprintf(what, sizeof(what), "%s was killed by", run->launcher->name);
	tell(run, what, signal);
}

static void launcher_ended(struct run *run, int status)
{
	run->ended = true;
	run->launched = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
	run->status = run->launched;
	if (WIFSIGNALED(status) && !run->stop.asked && !run->stop.forced)
		launcher_killed(run, WTERMSIG(status));
	if (WIFSIGNALED(status) || run->stop.asked || folder_is_noted(run->folder, FOLDER_FAILED))
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
	if (!run->ended && waitpid(run->stop.launcher, &status, WNOHANG) > 0)
		launcher_ended(run, status);
}

/*
 * A run that has failed ends by itself where all machines can be reached.  Returns after how many
 * milliseconds to look again.
 */
static int look(struct run *run)
{
	int next;

	if (!run->failed_since && folder_is_noted(run->folder, FOLDER_FAILED))
		run->failed_since = stop_now();
	if (run->failed_since && stop_now() - run->failed_since > FAILED_MS)
		stop_force(&run->stop);
	/* Somebody who keeps mpirun's ports busy does so at the end, too. */
	if (!run->over_since && relay_over(run->relay))
		run->over_since = stop_now();
	if (run->over_since && stop_now() - run->over_since > OVER_MS)
		stop_force(&run->stop);
	if (!run->failed_since && !run->stop.asked && start_look(&run->start, run->relay, LOOK_MS))
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
	int failed = folder_failure(run->folder, NULL, text, sizeof(text));

	if (run->start.late && !run->ended_by) {
		run->status = 1;
		return;
	}
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
		complain("output of the program was lost: node 0 ended without its last message");
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
		if (!relay_reported(run->relay))
			complain("%s", text);
		if (!relay_begun(run->relay))
			words_tell_start(run->folder);
		else if (strcmp(text, FOLDER_MPIRUN_DIED) == 0)
			words_tell_loss(run->folder);
	} else if (run->status && !run->reported && !(elsewhere && relay_reported(run->relay))) {
		words_tell(run->folder, run->launcher->name, run->status, relay_begun(run->relay),
			   elsewhere && relay_state(run->relay) == RELAY_WHOLE);
	}
	if (run->status && relay_status(run->relay) < 0 && !run->ended_by)
		words_tell_full(run->folder);
}

/*
 * Who says nothing, although the run had begun, has died; so has an mpirun that began none, or of
 * which a monitor was killed before anybody could report it.
 */
static struct fault fault_of(const struct run *run)
{
	const struct fault *reported = relay_fault(run->relay);
	struct fault fault = {.kind = FAULT_NONE};

	if (run->ended_by || relay_state(run->relay) == RELAY_FAILED)
		return fault;
	if (run->start.late)
		fault.kind = FAULT_LATE;
	else if (folder_failure(run->folder, &fault, NULL, 0) >= 0)
		return fault;
	else if (reported)
		return *reported;
	else if (relay_state(run->relay) == RELAY_LOST || run->killed ||
		 (relay_stage(run->relay) < START_JOINED && run->launched > 128))
		fault.kind = FAULT_DIED;
	return fault;
}

/* Node 0's monitor has it by its launcher. */
static int publish_invitation(const struct relay *relay)
{
	char *text = relay_invitation(relay);
	int error = text ? setenv(CONNECTION_VARIABLE, text, 1) : -1;

	free(text);
	return error;
}

int supervise(const struct command *command, char **arguments, const struct place *place,
	      struct trace *trace, const struct run_options *options, struct ending *ending)
{
	struct run run = {
		.launcher = command->launcher,
		.status = 1,
		.folder = place->folder,
		.stop.folder = place->lock,
		.start = {.within = start_limit(options->start_within, options->nodes, place->here),
			  .folder = place->folder,
			  .launcher = command->launcher},
		.relay = relay_start(arguments, trace, place->aside, place->here),
	};
	int output[2];
	char why[512];

	if (!run.relay || publish_invitation(run.relay) < 0) {
		complain("out of memory");
		goto stop_relay;
	}
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	run.signals = take_signals();
	run.stop.launcher = run.signals < 0 ? -errno : command_start(command, output);
	if (run.stop.launcher < 0) {
		complain("cannot start %s: %s", run.launcher->name,
			 limits_why(-run.stop.launcher, why, sizeof(why)));
		goto stop_relay;
	}
	relay_source_started(run.relay, output);
	follow(&run);
	judge(&run, options->hosts);
	*ending = (struct ending){
		.by = run.ended_by,
		.stage = relay_stage(run.relay),
		.has_read = relay_has_read(run.relay),
		.fault = fault_of(&run),
	};
	close(run.signals);
stop_relay:
	if (run.relay)
		relay_stop(run.relay);
	return run.status;
}
