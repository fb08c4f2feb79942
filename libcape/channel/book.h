/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * book.h - locks and loops of channel/service.h in the memory of a board: programs take them
 * themselves.
 *
 * Who waits long for a lock does so with the monitors, which find deadlocks; who gives it back then
 * has them wake that node (CAPE_SERVICE_SLEEP, CAPE_SERVICE_WAKE).
 */
#ifndef CAPE_BOOK_H
#define CAPE_BOOK_H

#include "channel/board.h"
#include "channel/meeting.h"
#include "channel/mutex.h"
#include "channel/service.h"

/* A lock that is held, or a loop that is being handed out. */
struct cape_book_item {
	uint64_t id;
	uint32_t next;	/* in its list; numbers of items begin with 1 */
	uint32_t count; /* lock: its holder; loop: nodes that were told that none is left */
	uint64_t left;	/* loop: the first iteration that was not handed out, */
	struct cape_service_request begins; /* and the request that began it */
	struct cape_meeting meeting;
};

/* How a node stands with the lock that it asked for. */
enum cape_book_wait { CAPE_BOOK_NOT, CAPE_BOOK_AWAKE, CAPE_BOOK_ASLEEP };

struct cape_book_node {
	uint64_t id; /* of the lock */
	uint64_t ticket;
	uint32_t waits;	   /* enum cape_book_wait */
	uint32_t got;	   /* futex: 1 when it has the lock */
	uint32_t sleeping; /* on GOT */
	struct cape_meeting_guest guest;
} __attribute__((aligned(64)));

#define CAPE_BOOK_LISTS 65536u /* by the upper 16 bits of a hash */
#define CAPE_BOOK_ITEMS (1u << 21)

struct cape_book {
	struct cape_mutex mutex;
	uint32_t used, spare; /* items: ever, and the first of those given back */
	uint64_t tickets, meetings;
	uint32_t locks[CAPE_BOOK_LISTS], loops[CAPE_BOOK_LISTS];
	struct cape_book_node node[CAPE_BOARD_NODES];
	struct cape_book_item item[CAPE_BOOK_ITEMS];
};

_Static_assert(sizeof(struct cape_book) <= CAPE_BOARD_LOG - CAPE_BOARD_BOOK,
	       "the book ends before the log");

enum cape_book_lock { CAPE_BOOK_HELD, CAPE_BOOK_GOT, CAPE_BOOK_WAITS };

/*
 * Takes lock ID.  HELD: another has it, and WAIT is not set.  WAITS: it takes long; this node has
 * the lock when CAPE_SERVICE_SLEEP has been answered.  -ENOSPC: the book is full.
 */
int cape_book_acquire(struct cape_channel *channel, uint64_t id, bool wait);

/*
 * Gives lock ID back.  SLEEPER: the node that has it then, if CAPE_SERVICE_WAKE is to wake it, or
 * -1.  0, or -EPERM: it is not this node's.
 */
int cape_book_release(struct cape_channel *channel, uint64_t id, int *sleeper);

#define CAPE_BOOK_NOBODY (-1)

/*
 * As CAPE_SERVICE_CHUNK.  0, -ENOSPC if the book is full, -EINVAL if nodes disagree about the loop.
 */
int cape_book_chunk(struct cape_channel *channel, const struct cape_service_request *request,
		    struct cape_service_reply *reply);

/* Monitor: the node that holds lock ID on the board that is FILE, or -1. */
int cape_book_holder(int file, uint64_t id);

#endif
