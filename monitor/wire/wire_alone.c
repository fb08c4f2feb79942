// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * wire_alone.c - the wire of a node that is the only one: nobody to send to, nobody to wait for.
 */
#include <stdio.h>
#include <stdlib.h>
#include "wire.h"

/* No node sends to itself. */
static void to_nobody(int other, enum wire_tag tag)
{
	fprintf(stderr,
		"cape-run: node 0 is the only node, but has a message, %d, for or from node %d\n",
		(int)tag, other);
	abort();
}

static void send_message(struct wire *wire, const void *bytes, size_t size, int to,
			 enum wire_tag tag, struct wire_request *request)
{
	(void)wire, (void)bytes, (void)size, (void)request;
	to_nobody(to, tag);
}

static void receive_message(struct wire *wire, void *bytes, size_t size, int from,
			    enum wire_tag tag, struct wire_request *request)
{
	(void)wire, (void)bytes, (void)size, (void)request;
	to_nobody(from, tag);
}

/* All nodes have begun it. */
static void barrier(struct wire *wire, struct wire_request *request)
{
	(void)wire;
	request->pending = false;
}

static bool probe(struct wire *wire, enum wire_tag tag, int *from)
{
	(void)wire, (void)tag, (void)from;
	return false;
}

static bool test(struct wire *wire, struct wire_request *request)
{
	(void)wire, (void)request;
	return true;
}

static void cancel(struct wire *wire, struct wire_request *request)
{
	(void)wire, (void)request;
}

static void close_wire(struct wire *wire)
{
	free(wire);
}

static const struct wire_ops alone_ops = {
	.send = send_message,
	.send_until_taken = send_message,
	.receive = receive_message,
	.barrier = barrier,
	.probe = probe,
	.test = test,
	.cancel = cancel,
	.close = close_wire,
};

struct wire *wire_open(struct loop *loop)
{
	struct wire *wire = malloc(sizeof(*wire));

	if (wire)
		*wire = (struct wire){.ops = &alone_ops, .loop = loop, .size = 1};
	return wire;
}

bool *wire_meet(int seconds, int *rank, int *size)
{
	bool *met = malloc(sizeof(*met));

	(void)seconds;
	*rank = 0;
	*size = met ? 1 : 0;
	if (met)
		*met = true;
	return met;
}

void wire_part(void)
{
}
