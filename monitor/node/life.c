/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * life.c - the ends of programs, announced by every monitor to every other.
 *
 * The first failure that node 0's monitor learns of is the one the user reads; what fails
 * in its wake is not worth a line.
 */
#include "life.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>
#include "common/clock.h"
#include "common/complain.h"
#include "common/folder.h"
#include "common/sockets.h"
#include "conflict.h"
#include "debug/death.h"
#include "guard.h"
#include "stream/input.h"
#include "stream/output.h"
#include "stream/relay.h"
#include "service/service.h"
#include "service/service_lost.h"
#include "profile/report.h"
#include "statistics.h"
#include "debug/symbol.h"
#include "capture/trace.h"
#include "wire/sent.h"
#include "wire/wire.h"

/* How long somebody who knows why mpirun stops the run has to say so; it kills after a second. */
#define REASON_NS	300000000ull
#define END_PATIENCE_NS 3000000000ull

/* What monitors send each other. */
struct control {
	uint32_t failed;  /* else: the program came to its end */
	uint32_t stopped; /* failed by a signal: whoever knows of a better reason may give it */
	uint32_t well;	  /* "failed", but by exit() in a region */
	int32_t status;	  /* exit status of the program, or of the run */
	struct fault fault;
	uint64_t moves;	 /* that the program has taken part in */
	uint64_t output; /* what the program has printed in all; the sender's output_sent */
	char reason[1024];
	char race[CONFLICT_TEXT]; /* that the sender has seen, or empty */
};

/* On its way to all others, which nobody waits for. */
struct notice {
	struct control control;
	struct wire_request *request; /* by node */
};

/* How a node's program came to its end. */
struct end {
	bool came;
	int status;	 /* its exit status */
	uint64_t moves;	 /* that it has taken part in */
	uint64_t output; /* what its monitor had sent of its output */
};

struct life {
	struct watcher watcher;
	int signals;	 /* signalfd */
	struct end *end; /* by node */
	struct notice ended, failed;
	bool interrupted;	/* SIGTERM or its like came, here or to another monitor */
	uint64_t stopped_since; /* nanoseconds; 0: it did not */
	int killed_by;		/* signal of which the program died, not reported yet; 0: none */
	uint64_t killed_at;
	char race[CONFLICT_TEXT]; /* the first that this monitor learned of */
	bool race_reported;
	struct lost lost; /* of the wire's connections, the first that broke */
};

void life_stop(struct node *node)
{
	close(node->life->signals);
	free(node->life->end);
	free(node->life->ended.request);
	free(node->life->failed.request);
	free(node->life);
}

static void tell_all(const struct node *node, struct notice *notice)
{
	for (int other = 0; other < node->size; other++) {
		if (other == node->rank)
			continue;
		wire_send(node->wire, &notice->control, sizeof(notice->control), other,
			  WIRE_TAG_CONTROL, &notice->request[other]);
		sent_add(node->channel, CAPE_SENT_SERVICE, sizeof(notice->control));
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

static void tell_others(struct node *node)
{
	struct control *control = &node->life->failed.control;

	control->failed = 1;
	control->output = node->output_sent;
	control->stopped = node->failure.stopped;
	control->well = node->failure.well;
	control->status = node->failure.code;
	control->fault = node->failure.fault;
	memcpy(control->reason, node->failure.reason, sizeof(control->reason) - 1);
	tell_all(node, &node->life->failed);
}

/* Whether this monitor is the one that reports to the user. */
static bool is_speaker(const struct node *node)
{
	return node->rank == 0 || (node->rank == 1 && service_lost_node(node) == 0);
}

static void learn_race(struct life *life, const char *race)
{
	if (!life->race[0])
		snprintf(life->race, sizeof(life->race), "%s", race);
}

/* mpirun may drop what the other monitors say when it has to stop. */
static void tell_race(struct node *node)
{
	struct life *life = node->life;

	if (!life->race[0] || life->race_reported || !is_speaker(node))
		return;
	life->race_reported = true;
	complain("race: %s", life->race);
}

/* Why the run fails: to the other monitors, if they do not know, and to the user. */
static void tell_failure(struct node *node)
{
	const struct failure *failure = &node->failure;
	struct control *control = &node->life->failed.control;
	bool racing;

	/* What the node that failed has printed comes before the reason. */
	if (failure->heard && node->rank == 0)
		output_await_last(node, failure->from, failure->output);
	stop_program(node);
	output_close(node);
	racing = conflict_left(node, control->race, sizeof(control->race));
	if (racing)
		learn_race(node->life, control->race);
	tell_race(node);
	if (!failure->heard || racing)
		tell_others(node);
	relay_fault(node, &failure->fault);
	if (!is_speaker(node) || !failure->reason[0])
		return;
	/* Who has asked for the end knows why, and mpirun kills in any order. */
	if (node->folder >= 0 && folder_has(node->folder, FOLDER_ASKED))
		return;
	/* From a machine that has lost node 0's, this may not be heard. */
	if (!service_lost_silently(node) &&
	    !folder_note_failure(node->folder, &failure->fault, failure->code, failure->reason))
		return;
	complain("%s", failure->reason);
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
	symbol_name(node->options.program, node->channel->fail_address, node->channel->load_bias,
		    name, sizeof(name));
	snprintf(line, sizeof(line), "%.*s%s%s", (int)(at - reason), reason, name, at + 1);
	node_fail(node, 1, "%s", line);
}

static void came_to_end(struct node *node, int which, const struct control *control)
{
	node->life->end[which] = (struct end){
		.came = true,
		.status = control->status,
		.moves = control->moves,
		.output = control->output,
	};
}

static void fail_stopped(struct node *node, enum fault_kind kind, const char *reason)
{
	node_fail_by(node, kind, NULL, 128 + SIGTERM, "%s", reason);
	node->failure.stopped = true;
}

/* Before anybody can have ended the run for it. */
static bool has_been_lost(const struct life *life)
{
	return life->lost.when && clock_now() - life->lost.when > REASON_NS;
}

/*
 * SIGTERM came: mpirun sends it when a monitor has died, which hung up then; or when it had
 * to stop or lost a daemon, which cape-run reports to the user.
 */
static void stopped(struct node *node)
{
	int dead;

	node->life->interrupted = true;
	if (!node->life->stopped_since)
		node->life->stopped_since = clock_now();
	service_serve(node);
	if (node->failed)
		return;
	dead = service_lost_node(node);
	if (has_been_lost(node->life))
		lost_tell(node, &node->life->lost, node->wire->lost - 1);
	else if (dead >= 0)
		node_fail_by(node, FAULT_DIED, NULL, 128 + SIGKILL, "node %d: its monitor has died",
			     dead);
	else if (folder_has(node->folder, FOLDER_ASKED))
		fail_stopped(node, FAULT_NONE, "");
	else if (clock_now() - node->life->stopped_since > REASON_NS)
		fail_stopped(node, FAULT_DIED,
			     "ended by a signal to mpirun or to a node's monitor, or by mpirun "
			     "because it has lost a machine");
}

/* The program, or a child of its, has sent it to its process group, where this monitor is, too. */
static bool is_of_program(const struct node *node, const struct signalfd_siginfo *signal)
{
	pid_t sender = (pid_t)signal->ssi_pid;

	return sender && sender != node->parent && getpgid(sender) == getpgrp();
}

/* Where nobody has asked for the end, whoever knows a reason has until SIGTERM to say so. */
static bool is_end(const struct node *node, const struct signalfd_siginfo *signal)
{
	if (signal->ssi_signo == SIGCHLD)
		return false;
	if (signal->ssi_signo == SIGCONT)
		return (pid_t)signal->ssi_pid == node->parent &&
		       folder_has(node->folder, FOLDER_ASKED);
	return !is_of_program(node, signal);
}

static void read_signals(struct node *node)
{
	struct signalfd_siginfo signal;

	while (read(node->life->signals, &signal, sizeof(signal)) == sizeof(signal))
		if (is_end(node, &signal))
			node->life->interrupted = true;
}

static void fail_killed(struct node *node, int signal)
{
	const struct cape_channel *channel = node->channel;
	char text[sizeof(node->failure.reason)], who[32];

	snprintf(who, sizeof(who), "node %d", node->rank);
	death_tell(node->options.program, channel->load_bias, &channel->state, signal,
		   channel->state.death.threads ? NULL : who, text, sizeof(text));
	node_fail_by(node, FAULT_DIED, NULL, 128 + signal, "%s", text);
}

/*
 * Sequential code runs alike everywhere: node 0's program, whose output is the run's, is about to
 * die, too, and may have something to say of it first.
 */
static void killed(struct node *node, int signal)
{
	if (node->rank == 0 || node->channel->state.in_region) {
		fail_killed(node, signal);
		return;
	}
	node->life->killed_by = signal;
	node->life->killed_at = clock_now();
}

static void look_at_death(struct node *node)
{
	if (!node->life->killed_by || node->failed ||
	    clock_now() - node->life->killed_at < REASON_NS)
		return;
	fail_killed(node, node->life->killed_by);
}

static void program_ended(struct node *node, int wait_status)
{
	struct control *control = &node->life->ended.control;

	node->program_ended = true;
	output_close(node);
	/* The program gets mpirun's signals, too. */
	read_signals(node);
	if (WIFSIGNALED(wait_status) && node->life->interrupted) {
		stopped(node);
	} else if (WIFSIGNALED(wait_status)) {
		killed(node, WTERMSIG(wait_status));
	} else if (node->channel->state.in_region) {
		node_end(node, WEXITSTATUS(wait_status));
	} else {
		control->status = WEXITSTATUS(wait_status);
		control->output = node->output_sent;
		control->moves = node->moves + node_meetings(node);
		came_to_end(node, node->rank, control);
		tell_all(node, &node->life->ended);
	}
}

static void heard_of_failure(struct node *node, int from, const struct control *control)
{
	if (node->failed)
		return;
	if (control->well)
		node_end(node, control->status);
	else
		node_fail_by(node, control->fault.kind, control->fault.host, control->status, "%s",
			     control->reason);
	node->failure.heard = true;
	node->failure.from = from;
	node->failure.output = control->output;
}

static void hear_others(struct node *node)
{
	struct control control;
	size_t size;
	int from;

	while (wire_take(node->wire, &control, sizeof(control), WIRE_TAG_CONTROL, &from, &size)) {
		control.reason[sizeof(control.reason) - 1] = '\0';
		control.fault.host[FAULT_HOST - 1] = '\0';
		control.race[sizeof(control.race) - 1] = '\0';
		learn_race(node->life, control.race);
		if (control.failed && control.stopped)
			stopped(node);
		else if (control.failed)
			heard_of_failure(node, from, &control);
		else
			came_to_end(node, from, &control);
	}
}

/* Deals with this node's program alone: its stops, if it is traced, and its end. */
static void look_at_program(struct node *node)
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
	/* Open MPI 5's has the latter name. */
	if (strcmp(node->launcher, SOCKETS_STARTER) == 0)
		node_fail_by(node, FAULT_DIED, NULL, 128 + SIGKILL,
			     "the monitors' starter has died");
	else if (strcmp(node->launcher, "mpirun") == 0 || strcmp(node->launcher, "prterun") == 0)
		node_fail_by(node, FAULT_DIED, NULL, 128 + SIGKILL, FOLDER_MPIRUN_DIED);
	else
		node_fail_by(node, FAULT_DIED, NULL, 128 + SIGKILL,
			     "node %d: %s, which mpirun had started on %s, has died", node->rank,
			     node->launcher, host);
}

/*
 * A node whose program has ended will never come to this sync point.  Where it has been here, what
 * it sent arrives in the end, however long that takes.
 */
static void look_who_left(struct node *node)
{
	bool moving = node->moving || node_meets(node);
	uint64_t moves = node->moves + node_meetings(node);

	for (int i = 0; moving && i < node->size; i++) {
		const struct end *end = &node->life->end[i];

		if (!end->came || end->moves >= moves)
			continue;
		node_fail(node, 1,
			  "node %d ended with exit status %d while node %d waits at %s:%d: "
			  "sequential code ran differently on the nodes",
			  i, end->status, node->rank, node->channel->state.file,
			  node->channel->state.line);
		return;
	}
}

/* Where the wire can tell of a connection that broke; mpirun ends the run by itself. */
static void look_at_wire(struct node *node)
{
	if (node->wire->lost) {
		lost_note(&node->life->lost, -ECONNRESET);
		lost_look(node, &node->life->lost, node->wire->lost - 1);
	}
}

static bool look(void *context)
{
	struct node *node = context;

	look_at_program(node);
	hear_others(node);
	look_at_death(node);
	look_who_left(node);
	look_at_wire(node);
	if (node->life->interrupted)
		stopped(node);
	/* Not PR_SET_PDEATHSIG: mpirun may start ranks from threads that end before it does. */
	if (getppid() != node->parent)
		launcher_died(node);
	return false;
}

/* Of a traced program, one comes with each of its stops. */
static void signal_came(void *context)
{
	struct node *node = context;

	look_at_program(node);
	if (node->life->interrupted)
		stopped(node);
}

int life_start(struct node *node, const sigset_t *signals)
{
	struct life *life = calloc(1, sizeof(*life));
	size_t size = (size_t)node->size;

	if (!life)
		return -ENOMEM;
	node->life = life;
	gethostname(life->lost.host, sizeof(life->lost.host) - 1);
	life->end = calloc(size, sizeof(*life->end));
	life->ended.request = calloc(size, sizeof(*life->ended.request));
	life->failed.request = calloc(size, sizeof(*life->failed.request));
	if (!life->end || !life->ended.request || !life->failed.request)
		return -ENOMEM;
	life->signals = signalfd(-1, signals, SFD_CLOEXEC | SFD_NONBLOCK);
	if (life->signals < 0)
		return -errno;
	life->watcher = (struct watcher){.look = look, .ready = signal_came, .context = node};
	loop_add(&node->loop, &life->watcher);
	return loop_watch(&node->loop, &life->watcher, life->signals, EPOLLIN);
}

bool life_over(const struct node *node)
{
	if (node->failed)
		return true;
	for (int i = 0; i < node->size; i++)
		if (!node->life->end[i].came)
			return false;
	return true;
}

/* Passes on what is still on its way, for a while at most. */
static void look_after_rest(struct node *node, uint64_t until)
{
	while (clock_now() < until && !output_is_flushed(node)) {
		loop_look(&node->loop);
		usleep(200);
	}
}

/* Until all monitors are here. */
static void meet_others(struct node *node, uint64_t until)
{
	struct wire_request all;

	wire_barrier(node->wire, &all);
	while (!wire_test(node->wire, &all) && clock_now() < until) {
		loop_look(&node->loop);
		usleep(200);
	}
}

/*
 * Other monitors hear of the failure, if they live; then all leave without the wire's farewell.
 * Where there is none, what was printed may wait for a reader who is slow, and mpirun, which kills
 * when the first has left, for node 0.
 */
static int end_failed(struct node *node)
{
	bool well = node->failure.well;
	uint64_t until = well ? UINT64_MAX : clock_now() + END_PATIENCE_NS;

	/* No exchange goes on: what others have printed waits for none. */
	node->moving = false;
	tell_failure(node);
	look_after_rest(node, until);
	profile_tell_rest(node);
	meet_others(node, until);
	loop_look(&node->loop);
	tell_race(node);
	relay_end(node, well ? conflict_status(node, node->failure.code) : -1);
	fflush(NULL);
	/* Before the others may go: mpirun kills who is still here when the first has left. */
	guard_leave(node);
	if (well)
		meet_others(node, until);
	if (node->wire->ops->leave)
		node->wire->ops->leave(node->wire);
	_exit(well ? 0 : node->failure.code);
}

/* Whether nothing is on its way to here any more, or from here. */
static bool all_is_passed_on(struct node *node)
{
	for (int i = 1; node->rank == 0 && i < node->size; i++)
		if (!output_is_here(node, i, node->life->end[i].output))
			return false;
	return output_is_flushed(node) && input_is_flushed(node);
}

/* All programs have ended; their output may wait for a reader who is slow. */
static void await_rest(struct node *node)
{
	struct wire_request all;
	bool entered = false;

	while (!node->failed) {
		if (!entered && all_is_passed_on(node)) {
			wire_barrier(node->wire, &all);
			entered = true;
		}
		if (entered && wire_test(node->wire, &all))
			break;
		loop_look(&node->loop);
		usleep(50);
	}
}

int life_end(struct node *node)
{
	const struct end *end = node->life->end;

	for (int i = 1; !node->failed && i < node->size; i++)
		if (end[i].status != end[0].status)
			node_fail(node, end[0].status ? end[0].status : end[i].status,
				  "node %d ended with exit status %d, node 0 with %d: sequential "
				  "code ran differently on the nodes",
				  i, end[i].status, end[0].status);
	if (!node->failed)
		await_rest(node);
	if (node->failed)
		return end_failed(node);
	statistics_print(node);
	profile_tell(node);
	relay_end(node, node->rank == 0 ? conflict_status(node, end[0].status) : 0);
	guard_leave(node);
	/* cape-run has the status; mpirun would take it for a failure, and for its time to clear
	 * up. */
	return 0;
}
