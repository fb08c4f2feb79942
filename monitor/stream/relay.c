/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * relay.c - node 0's end of the connection to cape-run.
 */
#include "relay.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include "common/clock.h"
#include "common/invitation.h"
#include "common/connection.h"
#include "input.h"

/* cape-run's number for this monitor. */
#define OWN_NUMBER 1

#define WAIT_MS		100
#define END_PATIENCE_NS 2000000000ull

struct relay {
	struct watcher watcher;
	struct connection connection;
	bool wants_writable; /* events are to come when the socket takes more */
	bool moved;
	bool ending; /* this side has said its last word */
	bool out_of_memory;
	bool has_arguments; /* all */
	char *arguments;
	size_t arguments_size;
	FILE *own_stderr;
	uint64_t sent, written; /* bytes of output */
};

static int call(struct node *node, const char *text, char *why, size_t why_size)
{
	struct invitation invitation;
	char place[512];
	int socket, error = -EINVAL;

	if (!text || !invitation_read(&invitation, text)) {
		snprintf(why, why_size, "cape-run's invitation is missing");
		return error;
	}
	socket = invitation_accept(&invitation, OWN_NUMBER, &error);
	if (socket < 0) {
		invitation_explain(&invitation, error, place, sizeof(place));
		snprintf(why, why_size, "node 0 cannot connect to cape-run: %s to it", place);
		return error ? error : -EIO;
	}
	connection_open(&node->relay->connection, socket);
	return 0;
}

static ssize_t say(void *context, const char *text, size_t size)
{
	relay_output(context, 1, text, size);
	return (ssize_t)size;
}

/* What this monitor reports to the user goes the way of the program's output, and so after it. */
static int speak_by_relay(struct node *node)
{
	FILE *own = fopencookie(node, "w", (cookie_io_functions_t){.write = say});

	if (!own)
		return -ENOMEM;
	setvbuf(own, NULL, _IOLBF, BUFSIZ);
	node->relay->own_stderr = stderr;
	stderr = own;
	return 0;
}

void relay_stop(struct node *node)
{
	if (!node->relay)
		return;
	fclose(stderr);
	stderr = node->relay->own_stderr;
	connection_close(&node->relay->connection);
	free(node->relay->arguments);
	free(node->relay);
}

bool relay_has_room(const struct node *node)
{
	const struct relay *relay = node->relay;

	return relay->sent - relay->written < CONNECTION_WINDOW;
}

/* mpirun ends together with cape-run, and all monitors with it. */
static void lose(struct node *node)
{
	connection_close(&node->relay->connection);
	if (!node->relay->ending)
		node_fail(node, 128 + SIGKILL, "cape-run has died");
}

static void watch(struct node *node)
{
	struct relay *relay = node->relay;
	bool wants = connection_waiting(&relay->connection) > 0;

	if (wants == relay->wants_writable || relay->connection.socket < 0)
		return;
	relay->wants_writable = wants;
	loop_watch(&node->loop, &relay->watcher, relay->connection.socket,
		   EPOLLIN | (wants ? EPOLLOUT : 0));
}

static void put(struct node *node, enum connection_kind kind, const void *bytes, size_t size)
{
	struct relay *relay = node->relay;

	if (relay->connection.socket < 0)
		return;
	if (connection_put(&relay->connection, kind, bytes, size) < 0)
		lose(node);
	watch(node);
}

static void put_all(struct node *node, enum connection_kind kind, const char *bytes, size_t size)
{
	while (size) {
		size_t piece = size < CONNECTION_MOST ? size : CONNECTION_MOST;

		put(node, kind, bytes, piece);
		bytes += piece;
		size -= piece;
	}
}

void relay_output(struct node *node, int stream, const void *bytes, size_t size)
{
	node->relay->sent += size;
	put_all(node, stream ? CONNECTION_STDERR : CONNECTION_STDOUT, bytes, size);
}

void relay_stage(struct node *node, enum start_stage stage)
{
	const uint64_t number = stage;

	if (node->relay)
		put(node, CONNECTION_STAGE, &number, sizeof(number));
}

uint64_t relay_sent(const struct node *node)
{
	return node->relay->sent;
}

uint64_t relay_written(const struct node *node)
{
	return node->relay->written;
}

void relay_trace(struct node *node, const void *bytes, size_t size)
{
	const struct connection *connection = &node->relay->connection;

	put_all(node, CONNECTION_TRACE, bytes, size);
	while (connection->socket >= 0 && connection_waiting(connection) > CONNECTION_WINDOW)
		relay_wait(node);
}

void relay_want(struct node *node, uint64_t bytes)
{
	put(node, CONNECTION_WANTED, &bytes, sizeof(bytes));
}

static void take_arguments(struct relay *relay, const void *bytes, size_t size)
{
	char *more = realloc(relay->arguments, relay->arguments_size + size + 1);

	relay->has_arguments = size == 0;
	relay->out_of_memory |= !more;
	if (!more)
		return;
	relay->arguments = more;
	if (size)
		memcpy(more + relay->arguments_size, bytes, size);
	relay->arguments_size += size;
}

static void take(void *context, enum connection_kind kind, const void *bytes, size_t size)
{
	struct node *node = context;

	node->relay->moved = true;
	if (kind == CONNECTION_WRITTEN)
		node->relay->written = connection_number(bytes, size);
	else if (kind == CONNECTION_INPUT)
		input_take(node, bytes, size);
	else if (kind == CONNECTION_ARGUMENTS)
		take_arguments(node->relay, bytes, size);
}

/* Sends and takes what can be without waiting.  Whether something came. */
static bool look(void *context)
{
	struct node *node = context;
	struct relay *relay = node->relay;

	if (relay->connection.socket < 0)
		return false;
	relay->moved = false;
	if (connection_write(&relay->connection) < 0 ||
	    connection_read(&relay->connection, take, node) < 0)
		lose(node);
	watch(node);
	return relay->moved;
}

int relay_start(struct node *node, char *why, size_t why_size)
{
	int error;

	why[0] = '\0';
	if (node->rank == 0) {
		node->relay = calloc(1, sizeof(*node->relay));
		if (!node->relay)
			return -ENOMEM;
		error = call(node, getenv(CONNECTION_VARIABLE), why, why_size);
		if (error)
			return error;
		node->relay->watcher = (struct watcher){.look = look, .context = node};
		loop_add(&node->loop, &node->relay->watcher);
		error = loop_watch(&node->loop, &node->relay->watcher,
				   node->relay->connection.socket, EPOLLIN);
		if (!error)
			error = speak_by_relay(node);
		if (error)
			return error;
	}
	unsetenv(CONNECTION_VARIABLE);
	return 0;
}

void relay_wait(struct node *node)
{
	struct connection *connection = &node->relay->connection;
	struct pollfd event = {connection->socket,
			       (short)(POLLIN | (connection_waiting(connection) ? POLLOUT : 0)), 0};

	poll(&event, 1, WAIT_MS);
	look(node);
}

char *relay_arguments(struct node *node, size_t *size)
{
	struct relay *relay = node->relay;
	char *arguments;

	while (!relay->has_arguments && relay->connection.socket >= 0)
		relay_wait(node);
	if (!relay->has_arguments || relay->out_of_memory)
		return NULL;
	arguments = relay->arguments;
	relay->arguments = NULL;
	*size = relay->arguments_size;
	return arguments;
}

void relay_fault(struct node *node, const struct fault *fault)
{
	if (node->relay)
		put(node, CONNECTION_FAULT, fault, sizeof(*fault));
}

void relay_end(struct node *node, int status)
{
	struct relay *relay = node->relay;
	uint64_t started = clock_now(), number = (uint64_t)status;

	if (!relay)
		return;
	fflush(stderr);
	if (status >= 0)
		put(node, CONNECTION_STATUS, &number, sizeof(number));
	put(node, CONNECTION_END, &relay->sent, sizeof(relay->sent));
	relay->ending = true;
	/* One that is stopped takes the rest later; a run that has failed does not wait. */
	while (relay->connection.socket >= 0 &&
	       (!node->failed || node->failure.well || clock_now() - started < END_PATIENCE_NS)) {
		/* Closed with something to be read, the socket would drop what is on its way. */
		if (!connection_waiting(&relay->connection))
			shutdown(relay->connection.socket, SHUT_WR);
		relay_wait(node);
	}
}
