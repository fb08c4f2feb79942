/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * wire.h - messages between monitors: what a transport must be able to do, and waiting for it.
 *
 * A message goes from one node to another, under a tag; those of one pair and tag arrive in the
 * order in which they were sent, and a receive takes the next.  Bytes must stay where they are
 * until the request is done.  A new transport is one file that fills in struct wire_ops and opens
 * it.
 */
#ifndef CAPE_MONITOR_WIRE_H
#define CAPE_MONITOR_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of one message at most. */
#define WIRE_MESSAGE_LIMIT (1u << 29)

/* A message up to this size travels with as few steps as possible, not as segments. */
#define WIRE_SMALL_LIMIT 16384

/* Each kind of message has a tag of its own, so that none is taken for another. */
enum wire_tag {
	WIRE_TAG_BRUCK = 1, /* the all-gather */
	WIRE_TAG_RING,
	WIRE_TAG_GATHER, /* the models scatter and master-slave */
	WIRE_TAG_BROADCAST,
	WIRE_TAG_SCATTER,
	WIRE_TAG_PUSH, /* from one node to another at a sync point */
	/* Not of exchanges. */
	WIRE_TAG_COLLECT, /* the start and the statistics */
	WIRE_TAG_OUTPUT,  /* what a program printed, to node 0 */
	WIRE_TAG_INPUT,	  /* standard input, from node 0 */
	WIRE_TAG_WANTED,  /* how much of it, to node 0 */
	WIRE_TAG_CONTROL, /* a program ended */
	WIRE_TAG_SAVED,	  /* a node has written its part of a set, to node 0 */
	WIRE_TAG_COPY,	  /* a file of a set, for another machine's disk; */
	WIRE_TAG_COPIED,  /* it is there */
	WIRE_TAG_VERDICT, /* what becomes of a set, from node 0 */
};

#define WIRE_TAG_EXCHANGES WIRE_TAG_PUSH /* the last of them */
#define WIRE_TAG_LAST	   WIRE_TAG_VERDICT

/* A message on its way.  All zero: none, which is done. */
struct wire_request {
	uint64_t handle; /* the transport's */
	size_t size;	 /* bytes that came, once a receive is done */
	bool pending;
};

/* What monitors speak by beside messages. */
enum wire_beside {
	WIRE_BESIDE_SERVICE,
	WIRE_BESIDE_FETCH,
	WIRE_BESIDE_PEERS, /* their programs */
};

struct wire;
struct loop;

struct wire_ops {
	void (*send)(struct wire *wire, const void *bytes, size_t size, int to, enum wire_tag tag,
		     struct wire_request *request);
	/* The same, but done only when the other node receives it. */
	void (*send_until_taken)(struct wire *wire, const void *bytes, size_t size, int to,
				 enum wire_tag tag, struct wire_request *request);
	/* SIZE: room at BYTES; a longer message is an error that ends the monitor. */
	void (*receive)(struct wire *wire, void *bytes, size_t size, int from, enum wire_tag tag,
			struct wire_request *request);
	/* Done when all nodes have begun it. */
	void (*barrier)(struct wire *wire, struct wire_request *request);
	/* Whether a message is here that nobody receives, and whose. */
	bool (*probe)(struct wire *wire, enum wire_tag tag, int *from);
	/* Whether the request, which is pending, is done by now. */
	bool (*test)(struct wire *wire, struct wire_request *request);
	/* The receive, which is pending, is done at once, unless its message is coming already. */
	void (*cancel)(struct wire *wire, struct wire_request *request);
	/* As wire_join().  NULL: the socket is used as it is. */
	int (*join)(struct wire *wire, int socket, int other, enum wire_beside what);
	/* Before the process ends without close(): what was sent is to arrive.  NULL: it does. */
	void (*leave)(struct wire *wire);
	/* No more messages; frees WIRE. */
	void (*close)(struct wire *wire);
};

struct wire {
	const struct wire_ops *ops;
	int rank, size; /* this node, how many there are */
	bool packs;	/* exchanges and pushes, on all nodes: bytes cost more than packing them */
	bool apart;	/* nodes are to do as if each were on a machine of its own */
	int lost;	/* 1 + the node whose connection broke, as far as that can be seen; or 0 */
	struct loop *loop; /* turns while a message is awaited */
};

void wire_send(struct wire *wire, const void *bytes, size_t size, int to, enum wire_tag tag,
	       struct wire_request *request);
void wire_receive(struct wire *wire, void *bytes, size_t size, int from, enum wire_tag tag,
		  struct wire_request *request);

void wire_send_until_taken(struct wire *wire, const void *bytes, size_t size, int to,
			   enum wire_tag tag, struct wire_request *request);
void wire_barrier(struct wire *wire, struct wire_request *request);

/* Whether a message of some node is here. */
bool wire_is_here(struct wire *wire, enum wire_tag tag);

/* Takes it, if there is one: which node's, and its size.  Does not wait. */
bool wire_take(struct wire *wire, void *bytes, size_t room, enum wire_tag tag, int *from,
	       size_t *size);

/* Whether the request is done. */
bool wire_test(struct wire *wire, struct wire_request *request);

/* Waits for COUNT requests.  0, or -ECANCELED when the run has failed meanwhile. */
int wire_wait(struct wire *wire, struct wire_request *request, size_t count);

/*
 * SOCKET, which does not block, leads to node OTHER's monitor: what is done to messages is done to
 * what goes through it, too.  The socket to use in its place, or -errno; it works until the wire
 * is closed.
 */
int wire_join(struct wire *wire, int socket, int other, enum wire_beside what);

/* In a run that has failed: the receive takes no message any more, and its bytes are free. */
void wire_give_up(struct wire *wire, struct wire_request *request);

/*
 * Opens the wire that this monitor is linked with: over Open MPI, which is started and, by close(),
 * ended, that of a node alone (wire_alone.c), or that over sockets, for tests.  NULL: out of
 * memory.
 */
struct wire *wire_open(struct loop *loop);

/*
 * Starts it for no messages but this: which of *SIZE nodes this one, *RANK, has exchanged one with
 * within SECONDS; to be freed.  NULL and *SIZE 0: out of memory.  wire_part() ends it.
 */
bool *wire_meet(int seconds, int *rank, int *size);
void wire_part(void);

#endif
