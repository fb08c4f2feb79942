/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pair.h - the socket between this node and another: messages that go, and messages that come.
 *
 * The other end is another monitor of the run, and what comes from it is checked all the same: what
 * is no message ends this monitor.
 */
#ifndef CAPE_PAIR_H
#define CAPE_PAIR_H

#include "mischief.h"
#include "wire/wire.h"

/* Of the pair's own, after those of the wire. */
enum pair_tag {
	PAIR_TAG_RECEIPT =
		WIRE_TAG_LAST + 1, /* a message was received whose sender wants to know */
	PAIR_TAG_BARRIER,	   /* the other node has begun one more */
	PAIR_TAGS,
};

/* Before each message. */
struct pair_head {
	uint32_t tag;
	uint32_t size;	  /* of what follows */
	uint64_t receipt; /* what the sender calls it, if a receipt is to come; or 0 */
};

/* In one queue at most. */
struct item {
	struct item *next;
	bool ended;  /* what it was for is done */
	size_t size; /* bytes that came */
};

struct queue {
	struct item *first, *last;
};

/* A message to the other node. */
struct going {
	struct item item;
	struct pair_head head;
	const unsigned char *bytes;
	size_t gone; /* of the head and the bytes */
	bool own;    /* of the pair's own: nobody asks for its end */
};

/* A message of the other node's. */
struct coming {
	struct item item;
	struct pair_head head;
	size_t come;  /* of the bytes */
	uint64_t due; /* when it can be seen */
	unsigned char bytes[];
};

/* What is to be received. */
struct receiving {
	struct item item;
	struct queue *queue; /* that it waits in */
	void *bytes;
	size_t room;
};

struct pair {
	int other;	    /* the other node */
	int socket;	    /* -1: the pair of the node with itself, or the other has gone */
	bool deaf;	    /* the other takes nothing any more; what it has sent may still come */
	bool lost;	    /* the other has gone */
	int events;	    /* the epoll that has the socket */
	struct queue going; /* as far as the socket has not taken it */
	struct queue untaken;	  /* has gone, and its receipt is to come */
	uint64_t receipts;	  /* that were asked for */
	uint64_t barriers;	  /* that the other node has begun */
	struct pair_head head;	  /* of the next message that comes, */
	size_t head_come;	  /* and how much of it is here */
	struct coming *coming;	  /* after its head */
	struct mischief mischief; /* of messages; that of bytes is the line's */
	/* By tag: messages that nobody has received, and those who wait for one. */
	struct queue here[PAIR_TAGS], receiving[PAIR_TAGS];
};

/* PAIR, all zero, gets SOCKET, which does not block, among EVENTS.  0 or -errno. */
int pair_open(struct pair *pair, int other, int socket, int events);

/* The rest of what was to go is not sent; all memory is freed but that which callers hold. */
void pair_close(struct pair *pair);

/*
 * Sends a message, whose bytes stay the caller's, as far as the socket takes it.  NULL: it is gone;
 * else what the caller asks for its end, and frees.  RECEIPT: its end is when it is received.
 */
struct item *pair_send(struct pair *pair, const void *bytes, size_t size, unsigned tag,
		       bool receipt);

/* One of no bytes, for whose end nobody asks. */
void pair_tell(struct pair *pair, enum pair_tag tag, uint64_t receipt);

/* The next message under TAG goes to BYTES, which has ROOM. */
struct item *pair_receive(struct pair *pair, void *bytes, size_t room, unsigned tag);

/* ITEM, which waits for a message, is ended without. */
void pair_cancel(struct item *item);

/* Whether a message under TAG is here that nobody receives. */
bool pair_has(const struct pair *pair, unsigned tag);

/* Sends and receives what the socket takes and has. */
void pair_turn(struct pair *pair);

/* Where mischief is done: looks for what has become due.  To be called now and then. */
void pair_look(struct pair *pair);

/* Whether all has gone that is to go, as far as there is somebody. */
bool pair_is_idle(const struct pair *pair);

#endif
