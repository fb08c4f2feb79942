/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * book.h - who holds which lock, and how far loops have been handed out (channel/service.h): in the
 * memory of a board, where programs look themselves (board_book.h), or in that of node 0's monitor.
 *
 * Who calls sees to it that nobody else does meanwhile.  Memory that is all zero is an empty book.
 */
#ifndef CAPE_BOOK_H
#define CAPE_BOOK_H

#include "channel/meeting.h"
#include "channel/service.h"

/* A lock that is held, or a loop that is being handed out. */
struct cape_book_item {
	uint64_t id;
	uint32_t next; /* in its list; numbers of items begin with 1 */
	union {
		struct {
			uint32_t holder;      /* the node */
			uint32_t first, last; /* numbers of those who wait, or 0 */
		} lock;
		struct {
			uint64_t left; /* the first iteration that was not handed out, */
			struct cape_service_request begins; /* and the request that began it */
			struct cape_meeting meeting;
			uint32_t over; /* nodes that know that none is left: */
			uint64_t is_over[CAPE_NODES_LIMIT / 64];
		} loop;
	};
};

/* Who may wait for a lock: a node, or one of its threads, by its tag. */
struct cape_book_waiter {
	uint64_t id;	   /* of the lock */
	uint32_t waits;	   /* whether it does; */
	uint32_t next;	   /* the one that came next, or 0 */
	uint32_t got;	   /* futex, on a board: 1 when it has the lock */
	uint32_t sleeping; /* on GOT */
} __attribute__((aligned(64)));

#define CAPE_BOOK_LISTS 65536u /* by the upper 16 bits of a hash */
#define CAPE_BOOK_ITEMS (1u << 21)

struct cape_book {
	uint64_t changes;     /* counts what was asked */
	uint32_t used, spare; /* items: ever, and the first of those given back */
	uint64_t meetings;
	uint32_t locks[CAPE_BOOK_LISTS], loops[CAPE_BOOK_LISTS];
	struct cape_meeting_guest guest[CAPE_NODES_LIMIT];
	struct cape_book_waiter waiter[CAPE_NODES_LIMIT * CAPE_CHANNEL_TAGS];
	struct cape_book_item item[CAPE_BOOK_ITEMS];
};

/* The number of the thread of NODE that has TAG. */
static inline uint32_t cape_book_number(uint32_t node, uint32_t tag)
{
	return node * CAPE_CHANNEL_TAGS + tag + 1;
}

static inline struct cape_book_waiter *cape_book_waiter(struct cape_book *book, uint32_t number)
{
	return &book->waiter[number - 1];
}

static inline uint32_t cape_book_node(uint32_t number)
{
	return (number - 1) / CAPE_CHANNEL_TAGS;
}

static inline uint32_t cape_book_tag(uint32_t number)
{
	return (number - 1) % CAPE_CHANNEL_TAGS;
}

enum cape_book_lock { CAPE_BOOK_HELD, CAPE_BOOK_GOT, CAPE_BOOK_WAITS };

/*
 * REQUEST->node asks for a lock by CAPE_SERVICE_ACQUIRE.  HELD: another has it, and nobody waits;
 * WAITS: the one with its tag does.  -ENOSPC: the book is full; -EALREADY: it waits already.
 */
int cape_book_acquire(struct cape_book *book, const struct cape_service_request *request);

/* Lock ID, NODE's, is the next one's: its number, or 0; -EPERM: it is not NODE's. */
int cape_book_release(struct cape_book *book, uint32_t node, uint64_t id);

/*
 * As CAPE_SERVICE_CHUNK.  0, -ENOSPC if the book is full, -EINVAL if nodes disagree about the loop,
 * -ERANGE about how many they are, -EALREADY if one takes part twice.
 */
int cape_book_chunk(struct cape_book *book, const struct cape_service_request *request,
		    struct cape_service_reply *reply);

/* What is wrong by that, for the user. */
const char *cape_book_wrong(int error);

/* The node that holds lock ID, or -1. */
int cape_book_holder(const struct cape_book *book, uint64_t id);

#endif
