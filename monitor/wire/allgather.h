/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * allgather.h - every node's bytes to every node.
 */
#ifndef CAPE_ALLGATHER_H
#define CAPE_ALLGATHER_H

#include "channel/channel.h"
#include "wire.h"

struct allgather;

/* NULL: out of memory.  WIRE and CHANNEL must outlive it. */
struct allgather *allgather_start(struct wire *wire, struct cape_channel *channel);
void allgather_stop(struct allgather *allgather);

/* What a node tells all others with its bytes. */
struct allgather_note {
	uint64_t printed; /* bytes of output that it sent before */
	/* Bit N % 64 of word N / 64: it pushes something to node N meanwhile. */
	uint64_t pushes[CAPE_NODES_LIMIT / 64];
};

/*
 * Sends the channel's out area to all nodes and fills its in area with theirs, and NOTE to all;
 * collective.  NOTES: room for all nodes' notes.  *USED: bytes of the in area that this took. Small
 * messages travel by Bruck's algorithm, large ones along the ring.  0, -ENOMEM, -EPROTO when nodes
 * disagree about what is exchanged, or -ECANCELED when the run has failed meanwhile.
 */
int allgather_exchange(struct allgather *allgather, const struct allgather_note *note,
		       struct allgather_note *notes, uint64_t *used);

#endif
