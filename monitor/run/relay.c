/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * relay.c - writes what comes to stdout and stderr, in the order in which it came, and sees when
 * that fails.
 *
 * Nothing here waits: a reader who is slow must not keep cape-run from looking after the run.
 */
#include "relay.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define PIECE 65536
/* A pipe that poll() calls writable takes that much without waiting. */
#define PIPE_PIECE 4096
/* What may lie here before no more is read. */
#define MOST_WAITING (1 << 20)

/* How a line begins that tells the user why a run has failed. */
static const char told[] = "cape-run: ";

struct chunk {
	struct chunk *next;
	int stream; /* 0 stdout, 1 stderr */
	size_t size, at;
	unsigned char bytes[];
};

/* Where a stream goes. */
struct drain {
	int descriptor;
	size_t most; /* to be written at a time */
};

struct relay {
	int source[2]; /* mpirun's stdout and stderr; -1: at their end */
	struct drain drain[2];
	struct chunk *first, **last;
	size_t waiting; /* bytes in chunks */
	bool source_ended;
	size_t matched;	   /* of TOLD, on stderr */
	bool in_line;	   /* that does not begin with it */
	bool failed;	   /* what comes is dropped */
	bool dies_of_pipe; /* nobody ignored SIGPIPE when cape-run started */
	bool broken_pipe;  /* it is to die of it now */
};

static const char *const stream_name[] = {"standard output", "standard error"};

/* A terminal may stop in the middle of a write: an own description of it does not block. */
static struct drain drain_of(int descriptor)
{
	struct drain drain = {.descriptor = descriptor, .most = PIPE_PIECE};
	struct stat status;
	char path[32];
	int own;

	if (isatty(descriptor)) {
		snprintf(path, sizeof(path), "/proc/self/fd/%d", descriptor);
		own = open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
		if (own >= 0)
			drain.descriptor = own;
	} else if (fstat(descriptor, &status) == 0 && !S_ISFIFO(status.st_mode) &&
		   !S_ISSOCK(status.st_mode)) {
		drain.most = PIECE;
	}
	return drain;
}

struct relay *relay_start(const int output[2])
{
	struct relay *relay = calloc(1, sizeof(*relay));

	if (!relay)
		return NULL;
	relay->dies_of_pipe = signal(SIGPIPE, SIG_IGN) != SIG_IGN;
	relay->last = &relay->first;
	for (int i = 0; i < 2; i++) {
		relay->source[i] = output[i];
		fcntl(output[i], F_SETFL, O_NONBLOCK);
		relay->drain[i] = drain_of(STDOUT_FILENO + i);
	}
	return relay;
}

static void drop_first(struct relay *relay)
{
	struct chunk *chunk = relay->first;

	relay->waiting -= chunk->size;
	relay->first = chunk->next;
	if (!relay->first)
		relay->last = &relay->first;
	free(chunk);
}

void relay_stop(struct relay *relay)
{
	bool broken_pipe = relay->broken_pipe;

	while (relay->first)
		drop_first(relay);
	free(relay);
	if (broken_pipe) {
		signal(SIGPIPE, SIG_DFL);
		raise(SIGPIPE);
	}
}

/* Nobody reads any more: most programs die of that in silence, unless they ignore SIGPIPE. */
static void fail(struct relay *relay, int stream, int error)
{
	if (relay->failed)
		return;
	relay->failed = true;
	if (error == EPIPE && relay->dies_of_pipe)
		relay->broken_pipe = true;
	else
		fprintf(stderr, "cape-run: cannot write to %s: %s\n", stream_name[stream],
			strerror(error));
}

static ssize_t write_some(const struct drain *drain, const void *bytes, size_t size)
{
	ssize_t put;

	if (size > drain->most)
		size = drain->most;
	put = send(drain->descriptor, bytes, size, MSG_DONTWAIT | MSG_NOSIGNAL);
	return put < 0 && errno == ENOTSOCK ? write(drain->descriptor, bytes, size) : put;
}

/* Writes of the first chunk what can be written at once. */
static void write_first(struct relay *relay)
{
	struct chunk *chunk = relay->first;
	struct drain *drain = &relay->drain[chunk->stream];
	ssize_t put;

	if (relay->failed) {
		drop_first(relay);
		return;
	}
	put = write_some(drain, chunk->bytes + chunk->at, chunk->size - chunk->at);
	if (put >= 0)
		chunk->at += (size_t)put;
	else if (errno != EAGAIN && errno != EINTR)
		fail(relay, chunk->stream, errno);
	if (chunk->at == chunk->size)
		drop_first(relay);
}

static bool queue(struct relay *relay, int stream, const void *bytes, size_t size)
{
	struct chunk *chunk = malloc(sizeof(*chunk) + size);

	if (!chunk)
		return false;
	*chunk = (struct chunk){.stream = stream, .size = size};
	memcpy(chunk->bytes, bytes, size);
	*relay->last = chunk;
	relay->last = &chunk->next;
	relay->waiting += size;
	return true;
}

/* Looks for TOLD at the beginning of a line. */
static void look_for_told(struct relay *relay, const unsigned char *bytes, size_t size)
{
	for (size_t i = 0; i < size && relay->matched < sizeof(told) - 1; i++) {
		if (bytes[i] == '\n') {
			relay->in_line = false;
			relay->matched = 0;
		} else if (!relay->in_line && bytes[i] == (unsigned char)told[relay->matched]) {
			relay->matched++;
		} else {
			relay->in_line = true;
			relay->matched = 0;
		}
	}
}

static void read_source(struct relay *relay, int stream)
{
	static unsigned char piece[PIECE];
	ssize_t got = read(relay->source[stream], piece, sizeof(piece));

	if (got > 0) {
		if (stream == 1)
			look_for_told(relay, piece, (size_t)got);
		if (!queue(relay, stream, piece, (size_t)got))
			fail(relay, stream, ENOMEM);
		return;
	}
	if (got < 0 && (errno == EINTR || (errno == EAGAIN && !relay->source_ended)))
		return;
	/* Whoever else holds it open after mpirun's end has nothing to say. */
	close(relay->source[stream]);
	relay->source[stream] = -1;
}

size_t relay_watch(struct relay *relay, struct pollfd *list, int *patience)
{
	size_t count = 0;

	(void)patience;
	for (int i = 0; i < 2; i++)
		if (relay->source[i] >= 0 && relay->waiting < MOST_WAITING)
			list[count++] = (struct pollfd){relay->source[i], POLLIN, 0};
	if (relay->first)
		list[count++] =
			(struct pollfd){relay->drain[relay->first->stream].descriptor, POLLOUT, 0};
	return count;
}

void relay_serve(struct relay *relay, const struct pollfd *list, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (!list[i].revents)
			continue;
		if (list[i].fd == relay->source[0])
			read_source(relay, 0);
		else if (list[i].fd == relay->source[1])
			read_source(relay, 1);
		else if (relay->first)
			write_first(relay);
	}
}

void relay_source_ended(struct relay *relay)
{
	relay->source_ended = true;
	for (int i = 0; i < 2; i++)
		while (relay->source[i] >= 0 && relay->waiting < MOST_WAITING)
			read_source(relay, i);
}

bool relay_idle(const struct relay *relay)
{
	return relay->source[0] < 0 && relay->source[1] < 0 && !relay->first;
}

bool relay_told(const struct relay *relay)
{
	return relay->matched == sizeof(told) - 1;
}

bool relay_failed(const struct relay *relay)
{
	return relay->failed;
}
