/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * board_book.h - the book on a board: programs look into it themselves.
 */
#ifndef CAPE_BOARD_BOOK_H
#define CAPE_BOARD_BOOK_H

#include "channel/board.h"
#include "channel/book.h"
#include "channel/mutex.h"

struct cape_board_book {
	struct cape_mutex mutex;
	struct cape_book book;
};

_Static_assert(sizeof(struct cape_board_book) <= CAPE_BOARD_LOG - CAPE_BOARD_BOOK,
	       "the book ends before the log");

/* As cape_book_acquire() and the like, of this node's program; errors are theirs, too. */
int cape_board_acquire(struct cape_channel *channel, struct cape_service_request *request);
int cape_board_release(struct cape_channel *channel, uint64_t id);
int cape_board_chunk(struct cape_channel *channel, struct cape_service_request *request,
		     struct cape_service_reply *reply);

/* Until the lock that was asked for with TAG is this node's. */
void cape_board_await_lock(struct cape_channel *channel, uint32_t tag);

/* Monitor: the book on the board that is FILE, to be looked at; NULL: it cannot be. */
const struct cape_book *cape_board_book_of(int file);

#endif
