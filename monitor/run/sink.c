/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sink.c - what is to be written to stdout and stderr, in one row.
 *
 * Nothing here waits: a reader who is slow must not keep cape-run from looking after the run.
 */
#include "sink.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include "common/complain.h"

#define PIECE 65536
/* A pipe that poll() calls writable takes that much without waiting. */
#define PIPE_PIECE 4096

struct chunk {
	struct chunk *next;
	int stream; /* 0 stdout, 1 stderr */
	bool counted;
	size_t size, at;
	unsigned char bytes[];
};

/* Where a stream goes. */
struct drain {
	int descriptor;
	size_t most; /* to be written at a time */
};

struct sink {
	struct drain drain[2];
	struct chunk *first, **last;
	size_t waiting; /* bytes in chunks */
	uint64_t written;
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

struct sink *sink_open(void)
{
	struct sink *sink = calloc(1, sizeof(*sink));

	if (!sink)
		return NULL;
	sink->dies_of_pipe = signal(SIGPIPE, SIG_IGN) != SIG_IGN;
	sink->last = &sink->first;
	for (int i = 0; i < 2; i++)
		sink->drain[i] = drain_of(STDOUT_FILENO + i);
	return sink;
}

static void drop_first(struct sink *sink)
{
	struct chunk *chunk = sink->first;

	sink->waiting -= chunk->size;
	if (chunk->counted)
		sink->written += chunk->size;
	sink->first = chunk->next;
	if (!sink->first)
		sink->last = &sink->first;
	free(chunk);
}

void sink_close(struct sink *sink)
{
	while (sink->first)
		drop_first(sink);
	for (int i = 0; i < 2; i++)
		if (sink->drain[i].descriptor != STDOUT_FILENO + i)
			close(sink->drain[i].descriptor);
	if (sink->dies_of_pipe)
		signal(SIGPIPE, SIG_DFL);
	free(sink);
}

/* Nobody reads any more: most programs die of that in silence, unless they ignore SIGPIPE. */
static void fail(struct sink *sink, int stream, int error)
{
	if (sink->failed)
		return;
	sink->failed = true;
	if (error == EPIPE && sink->dies_of_pipe)
		sink->broken_pipe = true;
	else
		complain("cannot write to %s: %s", stream_name[stream], strerror(error));
}

static ssize_t write_some(const struct drain *drain, const void *bytes, size_t size)
{
	ssize_t put;

	if (size > drain->most)
		size = drain->most;
	put = send(drain->descriptor, bytes, size, MSG_DONTWAIT | MSG_NOSIGNAL);
	return put < 0 && errno == ENOTSOCK ? write(drain->descriptor, bytes, size) : put;
}

void sink_write(struct sink *sink)
{
	struct chunk *chunk = sink->first;
	struct drain *drain = &sink->drain[chunk->stream];
	ssize_t put;

	if (sink->failed) {
		drop_first(sink);
		return;
	}
	put = write_some(drain, chunk->bytes + chunk->at, chunk->size - chunk->at);
	if (put >= 0)
		chunk->at += (size_t)put;
	else if (errno != EAGAIN && errno != EINTR)
		fail(sink, chunk->stream, errno);
	if (chunk->at == chunk->size)
		drop_first(sink);
}

void sink_put(struct sink *sink, int stream, const void *bytes, size_t size, bool counted)
{
	struct chunk *chunk;

	/* Even a write of nothing fails where nothing can be written. */
	if (!size)
		return;
	chunk = malloc(sizeof(*chunk) + size);
	if (!chunk) {
		fail(sink, stream, ENOMEM);
		return;
	}
	*chunk = (struct chunk){.stream = stream, .counted = counted, .size = size};
	memcpy(chunk->bytes, bytes, size);
	*sink->last = chunk;
	sink->last = &chunk->next;
	sink->waiting += size;
}

int sink_descriptor(const struct sink *sink)
{
	return sink->first ? sink->drain[sink->first->stream].descriptor : -1;
}

size_t sink_waiting(const struct sink *sink)
{
	return sink->waiting;
}

uint64_t sink_written(const struct sink *sink)
{
	return sink->written;
}

bool sink_failed(const struct sink *sink)
{
	return sink->failed;
}

bool sink_broken_pipe(const struct sink *sink)
{
	return sink->broken_pipe;
}

void sink_refuse(struct sink *sink)
{
	sink->failed = true;
}
