// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * board_book.c - one program at a time in the book, and sleeping until one has a lock.
 */
#include "channel/board_book.h"

#include "channel/watch.h"
#include "system/libc.h"

static struct cape_board_book *book_of(struct cape_channel *channel)
{
	return (struct cape_board_book *)((char *)cape_board_of(channel) + CAPE_BOARD_BOOK);
}

int cape_board_acquire(struct cape_channel *channel, struct cape_service_request *request)
{
	struct cape_board_book *board = book_of(channel);
	int result;

	request->node = channel->node;
	cape_mutex_lock(&board->mutex);
	result = cape_book_acquire(&board->book, request);
	cape_mutex_unlock(&board->mutex);
	return result;
}

int cape_board_release(struct cape_channel *channel, uint64_t id)
{
	struct cape_board_book *board = book_of(channel);
	struct cape_book_waiter *waiter = NULL;
	int next;

	cape_mutex_lock(&board->mutex);
	next = cape_book_release(&board->book, channel->node, id);
	if (next > 0) {
		waiter = cape_book_waiter(&board->book, (uint32_t)next);
		__atomic_store_n(&waiter->got, 1, __ATOMIC_SEQ_CST);
	}
	cape_mutex_unlock(&board->mutex);
	if (waiter)
		cape_watch_wake(&waiter->got, &waiter->sleeping);
	return next < 0 ? next : 0;
}

int cape_board_chunk(struct cape_channel *channel, struct cape_service_request *request,
		     struct cape_service_reply *reply)
{
	struct cape_board_book *board = book_of(channel);
	int error;

	request->node = channel->node;
	cape_mutex_lock(&board->mutex);
	error = cape_book_chunk(&board->book, request, reply);
	cape_mutex_unlock(&board->mutex);
	return error;
}

void cape_board_await_lock(struct cape_channel *channel, uint32_t tag)
{
	struct cape_book_waiter *waiter =
		cape_book_waiter(&book_of(channel)->book, cape_book_number(channel->node, tag));

	while (!__atomic_load_n(&waiter->got, __ATOMIC_ACQUIRE))
		cape_watch_or_sleep(channel, &waiter->got, 0, &waiter->sleeping, NULL);
}

const struct cape_book *cape_board_book_of(int file)
{
	struct cape_board_book *board =
		mmap(NULL, sizeof(*board), PROT_READ, MAP_SHARED, file, (off_t)CAPE_BOARD_BOOK);

	return board == MAP_FAILED ? NULL : &board->book;
}
