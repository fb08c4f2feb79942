/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * life.c - the ends of programs, told by every monitor to every other.
 *
 * The first failure that the master's monitor learns of is the one the user reads; what fails
 * in its wake is not worth a line.
 */
#include "life.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/clock.h"
#include "common/folder.h"
#include "conflict.h"
#include "guard.h"
#include "input.h"
#include "output.h"
#include "relay.h"
#include "service/service.h"
#include "statistics.h"
#include "symbol.h"
#include "capture/trace.h"

/* How long somebody who knows why mpirun stops the run has to say so; it kills after a second. */
#define REASON_NS	300000000ull
#define END_PATIENCE_NS 3000000000ull

/* What monitors tell each other. */
struct control {
	uint32_t failed;  /* else: the program came to its end */
	uint32_t stopped; /* failed by a signal: whoever knows of a better reason may give it */
	int32_t status;	  /* exit status of the program, or of the run */
	uint64_t moves;	  /* that the program has taken part in */
	uint64_t output;  /* what the program has printed in all; the sender's output_sent */
	char reason[1024];
};

int life_start(struct node *node)
{
	node->ended_well = calloc((size_t)node->size, sizeof(*node->ended_well));
	node->status = calloc((size_t)node->size, sizeof(*node->status));
	node->moves_at_end = calloc((size_t)node->size, sizeof(*node->moves_at_end));
	node->output_at_end = calloc((size_t)node->size, sizeof(*node->output_at_end));
	return node->ended_well && node->status && node->moves_at_end && node->output_at_end
		       ? 0
		       : -ENOMEM;
}

void life_stop(struct node *node)
{
	free(node->ended_well);
	free(node->status);
	free(node->moves_at_end);
	free(node->output_at_end);
}

static void tell_all(const struct node *node, const struct control *control)
{
	for (int other = 0; other < node->size; other++) {
		MPI_Request request;

		if (other == node->rank)
			continue;
		/* Small enough to be sent at once whether or not anybody receives it. */
		MPI_Isend(control, sizeof(*control), MPI_BYTE, other, NODE_TAG_CONTROL,
			  node->control, &request);
		MPI_Request_free(&request);
		node_sent(node, CAPE_SENT_SERVICE, sizeof(*control));
	}
}

static void stop_program(struct node *node)
{
	int status;

	if (node->program_ended || node->program <= 0)
		return;
	kill(node->program, SIGKILL);
	while (!(node->trace && node->trace->ended) && waitpid(node->program, &status, 0) > 0 &&
	       WIFSTOPPED(status))
		;
	node->program_ended = true;
}

/* Kept alive for the sends, which nobody waits for. */
static const struct control *failure_notice(const struct node *node)
{
	static struct control control;

	control.failed = 1;
	control.output = node->output_sent;
	control.stopped = node->failure.stopped;
	control.status = node->failure.code;
	memcpy(control.reason, node->failure.reason, sizeof(control.reason) - 1);
	return &control;
}

/* Whether this monitor is the one that tells the user. */
static bool is_speaker(const struct node *node)
{
	return node->rank == 0 || (node->rank == 1 && service_lost_node(node) == 0);
}

/* Why the run fails: to the other monitors, if they do not know, and to the user. */
static void tell_failure(struct node *node)
{
	const struct failure *failure = &node->failure;

	/* What the node that failed has printed comes before the reason. */
	if (failure->heard && node->rank == 0)
		output_await_last(node, failure->from, failure->output);
	stop_program(node);
	output_close(node);
	if (!failure->heard)
		tell_all(node, failure_notice(node));
	if (!is_speaker(node) || !failure->reason[0])
		return;
	/* From a machine that has lost node 0's, this may not be heard. */
	if (!service_lost_silently(node) &&
	    !folder_note_status(node->folder, FOLDER_FAILED, failure->code, failure->reason))
		return;
	fprintf(stderr, "cape-run: %s\n", failure->reason);
	fflush(stderr);
}

void life_fail_by_request(struct node *node)
{
	char name[256], line[1024];
	const char *reason = node->channel->reason, *at;

	node->channel->reason[sizeof(node->channel->reason) - 1] = '\0';
	at = node->channel->fail_address ? strchr(reason, '@') : NULL;
	if (!at) {
		node_fail(node, 1, "%s", reason);
		return;
	}
	symbol_name(node->options.program[0], node->channel->fail_address, node->channel->load_bias,
		    name, sizeof(name));
	snprintf(line, sizeof(line), "%.*s%s%s", (int)(at - reason), reason, name, at + 1);
	node_fail(node, 1, "%s", line);
}

static void came_to_end(struct node *node, int which, const struct control *control)
{
	node->ended_well[which] = true;
	node->status[which] = control->status;
	node->moves_at_end[which] = control->moves;
}

static const char *where(const struct node *node, char *text, size_t size)
{
	const struct cape_channel_state *state = &node->channel->state;

	if (!state->line)
		snprintf(text, size, "before its first construct");
	else
		snprintf(text, size, "%s the construct at %.230s:%d",
			 state->in_region ? "in a parallel region, at or after"
					  : "in sequential code, after",
			 state->file, state->line);
	return text;
}

static void fail_stopped(struct node *node, const char *reason)
{
	node_fail(node, 128 + SIGTERM, "%s", reason);
	node->failure.stopped = true;
}

/*
 * SIGTERM came: mpirun sends it when a monitor has died, which hung up then; or when it was told
 * to stop or lost a daemon, which cape-run tells the user.
 */
static void stopped(struct node *node)
{
	int dead;

	node->interrupted = true;
	if (!node->stopped_since)
		node->stopped_since = clock_now();
	service_serve(node);
	if (node->failed)
		return;
	dead = service_lost_node(node);
	if (dead >= 0)
		node_fail(node, 128 + SIGKILL, "node %d: its monitor has died", dead);
	else if (folder_has(node->folder, FOLDER_ASKED))
		fail_stopped(node, "");
	else if (clock_now() - node->stopped_since > REASON_NS)
		fail_stopped(
			node,
			"stopped by a signal that came to mpirun or to a node's monitor, or by "
			"mpirun because it has lost a machine");
}

static void read_signals(struct node *node)
{
	struct signalfd_siginfo signal;

	while (read(node->signals, &signal, sizeof(signal)) == sizeof(signal))
		if (signal.ssi_signo != SIGCHLD)
			node->interrupted = true;
}

static void program_ended(struct node *node, int wait_status)
{
	static struct control control;
	char place[320];

	node->program_ended = true;
	output_close(node);
	/* The program gets mpirun's signals, too. */
	read_signals(node);
	if (WIFSIGNALED(wait_status) && node->interrupted) {
		stopped(node);
	} else if (WIFSIGNALED(wait_status)) {
		int signal = WTERMSIG(wait_status);

		node_fail(node, 128 + signal,
			  "node %d: the program was killed by signal %d (%s), %s", node->rank,
			  signal, strsignal(signal), where(node, place, sizeof(place)));
	} else if (node->channel->state.in_region) {
		int status = WEXITSTATUS(wait_status);

		node_fail(node, status ? status : 1,
			  "node %d: the program ended with exit status %d, %s", node->rank, status,
			  where(node, place, sizeof(place)));
	} else {
		control.failed = 0;
		control.status = WEXITSTATUS(wait_status);
		control.output = node->output_sent;
		control.moves = node->moves;
		came_to_end(node, node->rank, &control);
		tell_all(node, &control);
	}
}

static void heard_of_failure(struct node *node, int from, const struct control *control)
{
	if (node->failed)
		return;
	node_fail(node, control->status, "%s", control->reason);
	node->failure.heard = true;
	node->failure.from = from;
	node->failure.output = control->output;
}

static void hear_others(struct node *node)
{
	for (;;) {
		struct control control;
		MPI_Status status;
		int waiting = 0;

		MPI_Iprobe(MPI_ANY_SOURCE, NODE_TAG_CONTROL, node->control, &waiting, &status);
		if (!waiting)
			return;
		MPI_Recv(&control, sizeof(control), MPI_BYTE, status.MPI_SOURCE, NODE_TAG_CONTROL,
			 node->control, &status);
		control.reason[sizeof(control.reason) - 1] = '\0';
		node->output_at_end[status.MPI_SOURCE] = control.output;
		if (control.failed && control.stopped)
			stopped(node);
		else if (control.failed)
			heard_of_failure(node, status.MPI_SOURCE, &control);
		else
			came_to_end(node, status.MPI_SOURCE, &control);
	}
}

void life_look_at_program(struct node *node)
{
	int wait_status;

	read_signals(node);
	if (node->program_ended || node->failed)
		return;
	if (!node->trace) {
		if (waitpid(node->program, &wait_status, WNOHANG) > 0)
			program_ended(node, wait_status);
		return;
	}
	trace_look(node);
	if (node->trace->ended && !node->program_ended)
		program_ended(node, node->trace->end_status);
}

/* What started this monitor: mpirun itself, or its daemon on another machine. */
static void launcher_died(struct node *node)
{
	char host[65] = "";

	gethostname(host, sizeof(host) - 1);
	if (strcmp(node->launcher, "mpirun") == 0)
		node_fail(node, 128 + SIGKILL, "mpirun has died");
	else
		node_fail(node, 128 + SIGKILL,
			  "node %d: %s, which mpirun had started on %s, has died", node->rank,
			  node->launcher, host);
}

void life_look(struct node *node)
{
	life_look_at_program(node);
	hear_others(node);
	if (node->interrupted)
		stopped(node);
	/* Not PR_SET_PDEATHSIG: mpirun may start ranks from threads that end before it does. */
	if (getppid() != node->parent)
		launcher_died(node);
}

bool life_over(const struct node *node)
{
	if (node->failed)
		return true;
	for (int i = 0; i < node->size; i++)
		if (!node->ended_well[i])
			return false;
	return true;
}

int life_first_missing(const struct node *node)
{
	for (int i = 0; node->moving && i < node->size; i++)
		if (node->ended_well[i] && node->moves_at_end[i] < node->moves)
			return i;
	return -1;
}

/* Passes on what is still on its way, for a while at most. */
static void look_after_rest(struct node *node, uint64_t until)
{
	while (clock_now() < until && !output_is_flushed(node)) {
		output_look(node);
		usleep(200);
	}
}

/* Other monitors hear of the failure, if they live; then all leave without MPI's farewell. */
static int end_failed(struct node *node)
{
	uint64_t until = clock_now() + END_PATIENCE_NS;
	MPI_Request request;
	int done = 0;

	tell_failure(node);
	look_after_rest(node, until);
	MPI_Ibarrier(node->control, &request);
	while (!done && clock_now() < until) {
		MPI_Test(&request, &done, MPI_STATUS_IGNORE);
		hear_others(node);
		output_look(node);
		usleep(200);
	}
	relay_end(node);
	fflush(NULL);
	guard_leave(node);
	_exit(node->failure.code);
}

/* Whether nothing is on its way to here any more, or from here. */
static bool all_is_passed_on(struct node *node)
{
	for (int i = 1; node->rank == 0 && i < node->size; i++)
		if (!output_is_here(node, i, node->output_at_end[i]))
			return false;
	return output_is_flushed(node) && input_is_flushed(node);
}

/* All programs have ended; their output may wait for a reader who is slow. */
static void await_rest(struct node *node)
{
	MPI_Request request = MPI_REQUEST_NULL;
	bool entered = false;
	int done = 0;

	while (!done && !node->failed) {
		if (!entered && all_is_passed_on(node)) {
			MPI_Ibarrier(node->control, &request);
			entered = true;
		}
		if (entered)
			MPI_Test(&request, &done, MPI_STATUS_IGNORE);
		if (done)
			break;
		output_look(node);
		input_look(node);
		life_look(node);
		usleep(50);
	}
}

int life_end(struct node *node)
{
	int status;

	for (int i = 1; !node->failed && i < node->size; i++)
		if (node->status[i] != node->status[0])
			node_fail(node, node->status[0] ? node->status[0] : node->status[i],
				  "node %d ended with exit status %d, node 0 with %d: sequential "
				  "code ran differently on the nodes",
				  i, node->status[i], node->status[0]);
	if (!node->failed)
		await_rest(node);
	if (node->failed)
		return end_failed(node);
	statistics_print(node);
	status = node->rank == 0 ? conflict_status(node, node->status[0]) : 0;
	relay_end(node);
	if (node->rank == 0)
		folder_note_status(node->folder, FOLDER_ENDED, status, "");
	/* When node 0's has left with a status, mpirun kills those that are slower to. */
	guard_leave(node);
	MPI_Finalize();
	return status;
}
