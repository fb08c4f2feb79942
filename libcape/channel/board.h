/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * board.h - memory that all programs of a run on one machine share: where small messages of an
 * exchange meet without their monitors.
 *
 * Each program writes its message to a slot of its own and counts itself in; who counts last has
 * completed the exchange, and all read each other's slots.  Whoever cannot or will not wait any
 * longer gives the exchange up instead, and then all have their monitors make it.  Both are changes
 * of one word, so all agree which it was.
 *
 * What only one node is to run is taken there, too: all nodes meet such constructs in the same
 * order, so whoever has come to a later one knows that this one has been taken.
 *
 * Exchanges take turns with two sets of slots: nobody writes to one again before all have begun the
 * exchange after it, and thus have read what was there.
 */
#ifndef CAPE_BOARD_H
#define CAPE_BOARD_H

#include <stdbool.h>
#include <stdint.h>
#include "channel/channel.h"

/* Where it is, over the end of the channel. */
#define CAPE_CHANNEL_BOARD (CAPE_CHANNEL_SIZE - (1ull << 30))

#define CAPE_BOARD_MESSAGE 65536u /* bytes of a message at most */

struct cape_board_slot {
	uint64_t size;
	unsigned char bytes[CAPE_BOARD_MESSAGE];
} __attribute__((aligned(64)));

struct cape_board_turn {
	uint64_t state;	   /* the exchange's number and how it stands, see board.c */
	uint32_t settled;  /* futex: the number of the last exchange that is complete or given up */
	uint32_t sleeping; /* programs that wait for it */
} __attribute__((aligned(64)));

struct cape_board {
	struct cape_board_turn turn[2];
	uint64_t single __attribute__((aligned(64))); /* the last construct that was taken */
	struct cape_board_slot slot[];		      /* by turn, then by node */
};

static inline uint64_t cape_board_size(uint32_t nodes)
{
	return sizeof(struct cape_board) + 2ull * nodes * sizeof(struct cape_board_slot);
}

/*
 * Program: maps the board that the monitor left open at CAPE_BOARD_FD.  No construct has been taken
 * then: numbers begin anew in a program that exec() starts.  0 or -errno.
 */
int cape_board_open(struct cape_channel *channel);

/*
 * Program: as CAPE_REQUEST_EXCHANGE, over the board where there is one, by the monitors where it
 * cannot be done there.  Collective.
 */
void cape_channel_exchange(struct cape_channel *channel);

/*
 * Program, where there is a board: whether this node is the first to come to the construct NUMBER:
 * its region's number in the upper 32 bits, in the lower ones its own, which grows (modulo 2^32).
 */
bool cape_board_first(struct cape_channel *channel, uint64_t number);

#endif
