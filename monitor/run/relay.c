/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * relay.c - writes what comes to stdout and stderr, in the order in which it came, and sees when
 * that fails; reads standard input as far as node 0's monitor has asked for it.
 *
 * What programs print comes from node 0's monitor by a connection of its own, since mpirun drops
 * what it cannot write; what mpirun itself says comes through pipes.  Nothing here waits: a reader
 * who is slow must not keep cape-run from looking after the run.
 */
#include "relay.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "common/clock.h"
#include "common/complain.h"
#include "common/invitation.h"
#include "common/connection.h"
#include "sink.h"
#include "words.h"

#define PIECE	     65536
#define MOST_WAITING (1 << 20)	   /* what mpirun may have said before no more of it is read */
#define MOST_SENT    (1 << 18)	   /* of standard input, and not taken by the connection yet */
#define LOOK_AGAIN   100	   /* milliseconds */
#define LAST_WORD_NS 5000000000ull /* that node 0's monitor has for it after mpirun's end */

/* The one peer. */
#define MONITOR 1

static const char reason[] = ASIDE_REASON;

struct relay {
	struct sink *sink;
	char **arguments; /* the program's */
	struct trace *trace;
	struct aside aside[2]; /* of mpirun's stdout and stderr */
	uint64_t arrived;      /* bytes of output from the monitor */
	uint64_t reported;     /* sink_written(), as the monitor knows it */
	uint64_t input_sent;   /* bytes of standard input */
	uint64_t input_requested;
	uint64_t ended_at;	/* when mpirun's stdout and stderr were at their end */
	size_t matched;		/* of REASON, on stderr */
	struct inviter inviter; /* until node 0's monitor has called */
	struct connection connection;
	int source[2]; /* mpirun's stdout and stderr; -1: at their end */
	bool source_ended;
	bool in_line;	/* that does not begin with REASON */
	bool listening; /* for the monitor */
	bool connected; /* has been */
	enum start_stage stage;
	bool complete; /* the monitor said that this is all */
	struct fault fault;
	bool faulty; /* the monitor has reported it */
	int status;  /* of the run, as the monitor said; below 0: it did not */
	bool input_over;
	bool failed;
};

struct relay *relay_start(char **arguments, struct trace *trace, int aside, bool here)
{
	struct relay *relay = calloc(1, sizeof(*relay));

	if (!relay)
		return NULL;
	relay->sink = sink_open();
	if (!relay->sink) {
		free(relay);
		return NULL;
	}
	relay->source[0] = relay->source[1] = relay->connection.socket = -1;
	inviter_open(&relay->inviter, MONITOR, 0, here);
	relay->status = -1;
	relay->listening = true;
	relay->arguments = arguments;
	relay->trace = trace;
	for (int i = 0; i < 2; i++)
		relay->aside[i] = aside_open(aside);
	return relay;
}

char *relay_invitation(const struct relay *relay)
{
	return invitation_text(&relay->inviter.invitation);
}

void relay_source_started(struct relay *relay, const int output[2])
{
	for (int i = 0; i < 2; i++) {
		relay->source[i] = output[i];
		fcntl(output[i], F_SETFL, O_NONBLOCK);
	}
}

static void stop_listening(struct relay *relay)
{
	if (relay->listening)
		inviter_close(&relay->inviter);
	relay->listening = false;
}

void relay_stop(struct relay *relay)
{
	struct sink *sink = relay->sink;

	stop_listening(relay);
	connection_close(&relay->connection);
	free(relay);
	sink_close(sink);
}

/* Looks for REASON at the beginning of a line. */
static void look_for_reason(struct relay *relay, const unsigned char *bytes, size_t size)
{
	for (size_t i = 0; i < size && relay->matched < sizeof(reason) - 1; i++) {
		if (bytes[i] == '\n') {
			relay->in_line = false;
			relay->matched = 0;
		} else if (!relay->in_line && bytes[i] == (unsigned char)reason[relay->matched]) {
			relay->matched++;
		} else {
			relay->in_line = true;
			relay->matched = 0;
		}
	}
}

static void put(struct relay *relay, int stream, const void *bytes, size_t size, bool counted)
{
	if (stream == 1)
		look_for_reason(relay, bytes, size);
	sink_put(relay->sink, stream, bytes, size, counted);
}

/* SIZE 0: it is at its end. */
static void put_source(struct relay *relay, int stream, const char *bytes, size_t size)
{
	static char left[PIECE + ASIDE_HELD];

	put(relay, stream, left, aside_take(&relay->aside[stream], bytes, size, left), false);
}

static void read_source(struct relay *relay, int stream)
{
	static char piece[PIECE];
	ssize_t got = read(relay->source[stream], piece, sizeof(piece));

	if (got < 0 && (errno == EINTR || (errno == EAGAIN && !relay->source_ended)))
		return;
	put_source(relay, stream, piece, got > 0 ? (size_t)got : 0);
	if (got > 0)
		return;
	/* Whoever else holds it open after mpirun's end has nothing to say. */
	close(relay->source[stream]);
	relay->source[stream] = -1;
}

/* What the monitor says. */
static void take(void *context, enum connection_kind kind, const void *bytes, size_t size)
{
	struct relay *relay = context;

	if (kind == CONNECTION_STDOUT || kind == CONNECTION_STDERR) {
		relay->arrived += size;
		put(relay, kind == CONNECTION_STDERR, bytes, size, true);
	} else if (kind == CONNECTION_STAGE) {
		relay->stage = (enum start_stage)connection_number(bytes, size);
	} else if (kind == CONNECTION_WANTED) {
		relay->input_requested = connection_number(bytes, size);
	} else if (kind == CONNECTION_STATUS) {
		relay->status = (int)connection_number(bytes, size);
	} else if (kind == CONNECTION_FAULT && size == sizeof(relay->fault)) {
		memcpy(&relay->fault, bytes, size);
		relay->fault.host[FAULT_HOST - 1] = '\0';
		relay->faulty = true;
	} else if (kind == CONNECTION_TRACE) {
		trace_write(relay->trace, bytes, size);
	} else if (kind == CONNECTION_END) {
		relay->complete = connection_number(bytes, size) == relay->arrived;
	}
}

static void hang_up_on_error(struct relay *relay, int error)
{
	if (error)
		connection_close(&relay->connection);
}

static void serve_connection(struct relay *relay, int events)
{
	if (events & POLLOUT)
		hang_up_on_error(relay, connection_write(&relay->connection));
	if (events & ~POLLOUT)
		hang_up_on_error(relay, connection_read(&relay->connection, take, relay));
}

/* By mpirun they could not be as long, and it would read something into a lone ":". */
static void send_arguments(struct relay *relay)
{
	int error = 0;

	for (char **at = relay->arguments; *at && !error; at++) {
		size_t size = strlen(*at) + 1, piece;

		for (size_t done = 0; done < size && !error; done += piece) {
			piece = size - done < CONNECTION_MOST ? size - done : CONNECTION_MOST;
			error = connection_put(&relay->connection, CONNECTION_ARGUMENTS, *at + done,
					       piece);
		}
	}
	if (!error)
		error = connection_put(&relay->connection, CONNECTION_ARGUMENTS, NULL, 0);
	hang_up_on_error(relay, error);
}

static void hear_callers(struct relay *relay)
{
	struct peer peer[MONITOR + 1] = {{.socket = -1}, {.socket = -1}};

	inviter_hear(&relay->inviter, peer, 0);
	if (peer[MONITOR].socket < 0)
		return;
	connection_open(&relay->connection, peer[MONITOR].socket);
	relay->connected = true;
	stop_listening(relay);
	send_arguments(relay);
}

/* The monitor learns how much is written; seldom, while more is to be. */
static void tell_written(struct relay *relay)
{
	uint64_t written = sink_written(relay->sink);

	if (relay->connection.socket < 0 || written == relay->reported ||
	    (sink_waiting(relay->sink) && written - relay->reported < CONNECTION_WINDOW / 8))
		return;
	relay->reported = written;
	hang_up_on_error(relay, connection_put(&relay->connection, CONNECTION_WRITTEN, &written,
					       sizeof(written)));
}

static bool reads_input(const struct relay *relay)
{
	return relay->connection.socket >= 0 && !relay->input_over && !relay->failed &&
	       relay->input_sent < relay->input_requested &&
	       connection_waiting(&relay->connection) < MOST_SENT;
}

/* In the background a read of the terminal would stop the whole job. */
static bool is_ours(int terminal)
{
	pid_t group = tcgetpgrp(terminal);

	return group < 0 || group == getpgrp();
}

static void read_input(struct relay *relay)
{
	static unsigned char piece[CONNECTION_MOST];
	uint64_t size = relay->input_requested - relay->input_sent;
	ssize_t got = read(STDIN_FILENO, piece, size < sizeof(piece) ? size : sizeof(piece));

	if (got < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	/* Open for writing only, as nohup leaves it: nothing comes from there. */
	if (got < 0 && errno == EBADF)
		got = 0;
	if (got < 0) {
		complain("cannot read standard input: %s", strerror(errno));
		relay->failed = true;
		sink_refuse(relay->sink);
		return;
	}
	relay->input_over = got == 0;
	relay->input_sent += (uint64_t)got;
	hang_up_on_error(relay,
			 connection_put(&relay->connection, CONNECTION_INPUT, piece, (size_t)got));
}

static void watch(struct pollfd *list, size_t *count, int descriptor, int events)
{
	if (descriptor >= 0 && events)
		list[(*count)++] = (struct pollfd){descriptor, (short)events, 0};
}

static void lower(int *patience, int milliseconds)
{
	if (*patience < 0 || *patience > milliseconds)
		*patience = milliseconds;
}

/* Its machine may be gone. */
static void await_last_word(struct relay *relay, int *patience)
{
	if (!relay->source_ended || relay->connection.socket < 0)
		return;
	lower(patience, LOOK_AGAIN);
	if (clock_now() - relay->ended_at > LAST_WORD_NS)
		connection_close(&relay->connection);
}

size_t relay_watch(struct relay *relay, struct pollfd *list, int *patience)
{
	bool roomy = sink_waiting(relay->sink) < MOST_WAITING;
	size_t count = 0;

	await_last_word(relay, patience);
	for (int i = 0; i < 2; i++)
		watch(list, &count, relay->source[i], roomy ? POLLIN : 0);
	for (int i = 0; relay->listening && i < 2; i++)
		watch(list, &count, relay->inviter.listening[i], POLLIN);
	watch(list, &count, relay->connection.socket,
	      POLLIN | (connection_waiting(&relay->connection) ? POLLOUT : 0));
	watch(list, &count, sink_descriptor(relay->sink), POLLOUT);
	if (reads_input(relay) && is_ours(STDIN_FILENO))
		watch(list, &count, STDIN_FILENO, POLLIN);
	else if (reads_input(relay))
		lower(patience, LOOK_AGAIN);
	if (relay->listening && relay->inviter.callers)
		lower(patience, 1);
	return count;
}

void relay_serve(struct relay *relay, const struct pollfd *list, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		int descriptor = list[i].fd;

		if (!list[i].revents)
			continue;
		if (descriptor == relay->source[0])
			read_source(relay, 0);
		else if (descriptor == relay->source[1])
			read_source(relay, 1);
		else if (descriptor == relay->connection.socket)
			serve_connection(relay, list[i].revents);
		else if (descriptor == STDIN_FILENO)
			read_input(relay);
		else if (descriptor == sink_descriptor(relay->sink))
			sink_write(relay->sink);
	}
	if (relay->listening)
		hear_callers(relay);
	tell_written(relay);
}

void relay_source_ended(struct relay *relay)
{
	relay->source_ended = true;
	relay->ended_at = clock_now();
	for (int i = 0; i < 2; i++)
		while (relay->source[i] >= 0)
			read_source(relay, i);
	stop_listening(relay);
}

bool relay_idle(const struct relay *relay)
{
	return relay->source[0] < 0 && relay->source[1] < 0 && !sink_waiting(relay->sink) &&
	       relay->connection.socket < 0;
}

bool relay_begun(const struct relay *relay)
{
	return relay->connected;
}

enum start_stage relay_stage(const struct relay *relay)
{
	return relay->stage;
}

bool relay_over(const struct relay *relay)
{
	return relay->complete && relay->connection.socket < 0;
}

bool relay_reported(const struct relay *relay)
{
	return relay->matched == sizeof(reason) - 1;
}

int relay_status(const struct relay *relay)
{
	return relay->status;
}

const struct fault *relay_fault(const struct relay *relay)
{
	return relay->faulty ? &relay->fault : NULL;
}

bool relay_has_read(const struct relay *relay)
{
	return relay->input_sent > 0 && lseek(STDIN_FILENO, 0, SEEK_CUR) < 0;
}

enum relay_end relay_state(const struct relay *relay)
{
	if (sink_broken_pipe(relay->sink))
		return RELAY_BROKEN_PIPE;
	if (relay->failed || sink_failed(relay->sink))
		return RELAY_FAILED;
	return relay->connected && !relay->complete ? RELAY_LOST : RELAY_WHOLE;
}
