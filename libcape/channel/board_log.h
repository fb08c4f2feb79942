/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * board_log.h - the log of channel/service.h in the memory of a board: programs append to it and
 * read it themselves.
 *
 * A ring of bytes in a sparse file.  What all nodes have read goes back to the kernel.
 */
#ifndef CAPE_BOARD_LOG_H
#define CAPE_BOARD_LOG_H

#include "channel/board.h"
#include "channel/mutex.h"
#include "channel/service.h"

/* How far a node has read, and how many of its own entries lie after that. */
struct cape_board_reader {
	uint64_t entries, bytes;
	uint64_t own;
} __attribute__((aligned(64)));

struct cape_board_log {
	struct cape_mutex mutex; /* of those who append */
	uint32_t news;		 /* futex: the lower half of ENTRIES */
	uint32_t sleeping;	 /* programs that wait for it */
	uint64_t entries, bytes; /* so far; ENTRIES is raised when all of the entry is there */
	uint64_t kept;		 /* bytes before this have gone back */
	struct cape_board_reader reader[CAPE_BOARD_NODES];
};

_Static_assert(sizeof(struct cape_board_log) <= CAPE_BOARD_RING - CAPE_BOARD_LOG,
	       "the header ends before the ring");

/*
 * Appends an entry of this node, after the SEEN entries that there are.  -EAGAIN: there are others
 * by now.  -ENOSPC: more than CHANNEL->board.log_limit bytes would be there that some node has not
 * read.
 */
int cape_board_publish(struct cape_channel *channel, const void *bytes, uint64_t size,
		       uint64_t seen);

/* Whether others have published what this node has not read. */
bool cape_board_has_news(struct cape_channel *channel);

/* Until there is news, or so many MICROSECONDS. */
void cape_board_await_news(struct cape_channel *channel, uint64_t microseconds);

/* How far this node has read. */
struct cape_board_reader cape_board_reader(struct cape_channel *channel);

/*
 * The entry after READER, which then stands after it, if it is one of the first END of the log.
 * 1, 0 if there is none, -EPROTO if the log is damaged.  It stays until cape_board_has_read().
 */
int cape_board_next(struct cape_channel *channel, struct cape_board_reader *reader, uint64_t end,
		    const struct cape_service_entry **entry);

/* How many entries have been published until now. */
uint64_t cape_board_entries(struct cape_channel *channel);

/* Whether there is such an entry. */
bool cape_board_is_late(struct cape_channel *channel, const struct cape_board_reader *reader,
			uint64_t end);

/* This node needs nothing before READER any more. */
void cape_board_has_read(struct cape_channel *channel, const struct cape_board_reader *reader);

#endif
