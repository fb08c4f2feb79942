/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * board.h - memory that all programs of a run on one machine share: where the messages of an
 * exchange meet without their monitors.
 *
 * Each program writes its message to a slot of its own and counts itself in; who counts last has
 * completed the exchange, and all read each other's slots where they are.  Whoever cannot or will
 * not wait any longer gives the exchange up instead, and then all have their monitors make it. Both
 * are changes of one word, so all agree which it was.
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
#define CAPE_CHANNEL_BOARD (CAPE_CHANNEL_SIZE - (1ull << 38))

#define CAPE_BOARD_MESSAGE (32u << 20) /* bytes of a message at most */
#define CAPE_BOARD_NODES   1024u       /* at most */

/* Where what is in it begins; the file is sparse. */
#define CAPE_BOARD_BOOK (65ull << 30)			 /* channel/book.h */
#define CAPE_BOARD_LOG	(CAPE_BOARD_BOOK + (1ull << 30)) /* board_log.h: its header, then a ring */
#define CAPE_BOARD_RING (CAPE_BOARD_LOG + (1ull << 20))
#define CAPE_BOARD_SIZE (CAPE_BOARD_RING + CAPE_BOARD_RING_SIZE)

#define CAPE_BOARD_RING_SIZE (1ull << 36)

struct cape_board_slot {
	uint64_t size;
	unsigned char bytes[CAPE_BOARD_MESSAGE] __attribute__((aligned(64)));
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

_Static_assert(sizeof(struct cape_board) + 2 * CAPE_BOARD_NODES * sizeof(struct cape_board_slot) <=
		       CAPE_BOARD_BOOK,
	       "the slots end before the book");
_Static_assert(CAPE_CHANNEL_BOARD + CAPE_BOARD_SIZE + CAPE_BOARD_RING_SIZE <= CAPE_CHANNEL_SIZE,
	       "the ring is mapped twice, and ends where the channel's place does");

static inline struct cape_board *cape_board_of(struct cape_channel *channel)
{
	return (struct cape_board *)((char *)channel + CAPE_CHANNEL_BOARD);
}

/*
 * Program: maps the board that the monitor left open at CAPE_BOARD_FD.  No construct has been taken
 * then: numbers begin anew in a program that exec() starts.  0 or -errno.
 */
int cape_board_open(struct cape_channel *channel);

/* Program, where there is a board: as CAPE_REQUEST_EXCHANGE; collective.  False: it was given up.
 */
bool cape_board_exchange(struct cape_channel *channel);

/*
 * Program, where there is a board: whether this node is the first to come to the construct NUMBER:
 * its region's number in the upper 32 bits, in the lower ones its own, which grows (modulo 2^32).
 */
bool cape_board_first(struct cape_channel *channel, uint64_t number);

/*
 * Program: whether something was printed that node 0 does not have yet.  Who sees over the board
 * what this node did may then print before it: the monitors have to carry it first.
 */
bool cape_board_has_printed(const struct cape_channel *channel);

#endif
