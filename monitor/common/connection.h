/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * connection.h - what cape-run and node 0's monitor say to each other, without ever waiting.
 *
 * Either side takes whatever comes and holds its own sending back: the monitor has no more output
 * on the way than CONNECTION_WINDOW beyond what cape-run has written, and cape-run reads no more of
 * standard input than the monitor has asked for.
 */
#ifndef CAPE_COMMON_CONNECTION_H
#define CAPE_COMMON_CONNECTION_H

#include <stddef.h>
#include <stdint.h>

/* The variable with cape-run's invitation, in hexadecimal digits. */
#define CONNECTION_VARIABLE "CAPE_RELAY"

#define CONNECTION_WINDOW (1 << 20)
#define CONNECTION_MOST	  65536 /* bytes in a message */

enum connection_kind {
	/* From the monitor. */
	CONNECTION_STDOUT,
	CONNECTION_STDERR,
	CONNECTION_STAGE,  /* uint64_t: how far the start has come, enum start_stage */
	CONNECTION_WANTED, /* uint64_t: bytes of standard input asked for since the start */
	CONNECTION_STATUS, /* uint64_t: all programs have come to their end, with this status */
	CONNECTION_FAULT,  /* struct fault: what the run has died of */
	CONNECTION_TRACE,  /* of the file that --profile asks for */
	CONNECTION_END,	   /* uint64_t: bytes of output since the start; no more will come */
	/* From cape-run. */
	CONNECTION_INPUT,     /* empty: standard input is at its end */
	CONNECTION_WRITTEN,   /* uint64_t: bytes of output written since the start */
	CONNECTION_ARGUMENTS, /* the program's, each with its 0; empty: these were all */
	CONNECTION_KINDS,
};

enum start_stage {
	START_CALLED, /* node 0's monitor has called, */
	START_JOINED, /* all monitors know each other, */
	START_BEGUN,  /* node 0's program stands at its first instruction */
};

struct connection_head {
	uint32_t kind;
	uint32_t size; /* of what follows */
};

struct connection {
	int socket; /* non-blocking; -1: there is none, or no more */
	unsigned char *out;
	size_t out_at, out_end, out_room;
	size_t in_size;
	unsigned char in[sizeof(struct connection_head) + CONNECTION_MOST];
};

/* The connection takes SOCKET over. */
void connection_open(struct connection *connection, int socket);
void connection_close(struct connection *connection);

/* Sends SIZE bytes, CONNECTION_MOST at most, as soon as the socket takes them.  0 or -errno. */
int connection_put(struct connection *connection, enum connection_kind kind, const void *bytes,
		   size_t size);

/* Sends what still waits, as far as the socket takes it.  0 or -errno. */
int connection_write(struct connection *connection);
size_t connection_waiting(const struct connection *connection);

/* Hands over what has come.  0, -ECONNRESET at the end, or -errno. */
int connection_read(struct connection *connection,
		    void (*take)(void *context, enum connection_kind kind, const void *bytes,
				 size_t size),
		    void *context);

/* What a message of the kinds with a number says. */
uint64_t connection_number(const void *bytes, size_t size);

#endif
