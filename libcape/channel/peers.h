/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * peers.h - connections between the programs of a run on several machines, by which they send each
 * other what both know of, without their monitors.
 *
 * What one program sends another is a stream of frames, which the other one takes in their order.
 * Sending never waits for the other to take: what comes meanwhile is read, and kept in the channel.
 * If a connection breaks the program waits; the monitors, who learn of that too, end the run.
 */
#ifndef CAPE_PEERS_H
#define CAPE_PEERS_H

#include <stdbool.h>
#include <stdint.h>
#include "channel/channel.h"

/* Where what has come is kept, over the end of the channel, for each node: without a board. */
#define CAPE_CHANNEL_PEERS (CAPE_CHANNEL_SIZE - (1ull << 38))
#define CAPE_PEER_SIZE	   (1ull << 32)

_Static_assert(CAPE_PEERS_NODES *CAPE_PEER_SIZE <= 1ull << 38, "peers end with the channel");

/* Bytes of a frame without its head: no node sends more, and who gets more does not read on. */
#define CAPE_PEER_LONGEST (1ull << 31)

/* Of a message, or of what is pushed; what is larger the monitors bring. */
#define CAPE_PEER_MOST 65536u

_Static_assert(2 * (CAPE_PEER_MOST + sizeof(uint64_t)) <= CAPE_PEER_LONGEST,
	       "a message, what is pushed with it, and their sizes are a frame");

enum cape_frame {
	CAPE_FRAME_MEETING = 1, /* of an exchange (message/port_peers.c) */
	CAPE_FRAME_PUSH,
	CAPE_FRAME_HANDED, /* to a thread of another node (sync/hand_on.c) */
};

/* A frame begins with it. */
struct cape_peer_head {
	uint32_t kind; /* enum cape_frame */
	uint32_t note; /* the sender's */
	uint64_t size; /* of what follows */
};

struct cape_peer_piece {
	const void *bytes;
	uint64_t size;
};

#define CAPE_PEER_PIECES 4 /* of a frame at most */

/* Sends NODE a frame of COUNT pieces. */
void cape_peers_send(struct cape_channel *channel, uint32_t node, uint32_t kind, uint32_t note,
		     const struct cape_peer_piece *piece, unsigned count);

/*
 * Waits for the next frame of NODE, and returns its head, after which its bytes come; they stay
 * until it is taken, and nothing is sent before.
 */
const struct cape_peer_head *cape_peers_await(struct cape_channel *channel, uint32_t node);

/* The same frame if it is here as a whole, or NULL. */
const struct cape_peer_head *cape_peers_next(struct cape_channel *channel, uint32_t node);

/* Waits so many MICROSECONDS at most until something comes of any node. */
void cape_peers_look(struct cape_channel *channel, uint64_t microseconds);

/* The frame that was returned is not needed any more. */
void cape_peers_taken(struct cape_channel *channel, uint32_t node);

#endif
