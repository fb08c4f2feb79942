/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * port.h - how a program asks for what nodes have to agree on: in memory that they share where all
 * are on one machine (channel/board.h), elsewhere by their monitors, and what is small by
 * connections between the programs (channel/peers.h).  A caller does not know which it is.
 *
 * One thread of a node at a time calls, posts, gets or meets (base/ordering.h, begin_access).  Any
 * number of threads await or rest meanwhile.
 */
#ifndef CAPE_PORT_H
#define CAPE_PORT_H

#include "base/context.h"
#include "channel/board_log.h"
#include "channel/peers.h"
#include "channel/range.h"
#include "channel/service.h"
#include "checkpoint/touched.h"

typedef struct cape_service_reply *cape_port_call(struct cape_runtime *runtime,
						  struct cape_service_request *request);

struct cape_port {
	/* Whether exchanges go by the monitors, which then can carry pushes as well. */
	bool by_monitors;
	/* Whether programs are connected, and may hand on to each other what they publish. */
	bool connects;

	/*
	 * Makes REQUEST, with its payload at cape_request_payload(), and returns its reply, which
	 * stays until the next call.  post: the same for a kind that is not answered; NULL.
	 */
	cape_port_call *call, *post;
	/*
	 * The next entry that came with the reply, this node's own left out, or NULL.  all_taken:
	 * lets go of the entries, and returns how far in the log this node now is.
	 */
	const struct cape_service_entry *(*next)(struct cape_runtime *runtime);
	uint64_t (*all_taken)(struct cape_runtime *runtime);

	/*
	 * Waits until the thread has what it asked for: REQUEST has its tag and was not answered
	 * yet.  For tasks at most so many MICROSECONDS, but for 0; returns whether it was called.
	 */
	bool (*await)(struct cape_runtime *runtime, const struct cape_service_request *request,
		      uint64_t microseconds);
	/* Waits so many MICROSECONDS; on the board, for news of the log at most so long. */
	void (*rest)(struct cape_runtime *runtime, uint64_t microseconds);

	/* Whether this node comes first to construct NUMBER (channel/board.h), of TEAM nodes. */
	bool (*first)(struct cape_runtime *runtime, uint64_t number, uint32_t team);

	/*
	 * Returns PAGES pages, those of the stretches at cape_channel_wanted(), of node
	 * channel->fetch.owner.  *READ: this program read them itself (channel/near.h).
	 */
	const unsigned char *(*get)(struct cape_runtime *runtime, uint32_t pages, bool *read);

	/*
	 * COUNT pieces of NODE's memory, RANGE, CAPE_REMOTE_PIECES at most, come to where they are
	 * here, when it has come to this one's version; nobody takes note of that.  0 or -errno.
	 */
	int (*copy)(struct cape_runtime *runtime, unsigned node, const struct cape_range *range,
		    uint32_t count);

	/* Sends the out area to all nodes, and gets what they sent; collective. */
	void (*meet)(struct cape_runtime *runtime);

	/*
	 * Sends parts of the out area to some nodes, and gets what some send, as
	 * cape_channel_push() and cape_channel_pushed() say.
	 */
	void (*push)(struct cape_runtime *runtime);
};

extern const struct cape_port cape_port_of_board, cape_port_of_monitors;

/* That of programs that are connected (channel/peers.h). */
const struct cape_port *cape_port_of_peers(struct cape_runtime *runtime);

/* When the program starts: maps the board, if there is one, and chooses the port. */
void cape_port_open(struct cape_runtime *runtime);

struct cape_service {
	const struct cape_port *port;
	struct cape_port own_port; /* that of peers: the monitors' in part */
	uint64_t seen;		   /* entries of the log that this node has */
	/* Takes the entries that came with a reply; the log's.  Returns how many of other nodes. */
	uint64_t (*take)(struct cape_runtime *runtime);
	/* Keeps a frame that a thread of NODE has handed on to this node; sync/hand_on.c. */
	void (*handed)(struct cape_runtime *runtime, unsigned node,
		       const struct cape_peer_head *head);
	bool busy; /* a request is being made: */
	struct cape_service_request request;

	/* Of the monitors' last reply, what was not taken. */
	const unsigned char *at;
	uint64_t left, entries;
	/* The board's: its reply, the entries to take, requests since one brought or gave any. */
	struct cape_service_reply reply;
	struct cape_board_reader reader;
	uint64_t end;
	unsigned idle;
	struct cape_touched untaken; /* what others published since this node took entries */
};

static inline const struct cape_port *cape_port(const struct cape_runtime *runtime)
{
	return runtime->service->port;
}

#endif
