// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * book.c - who holds which lock, and how far loops have been handed out.
 */
#include "channel/book.h"

#include <errno.h>
#include <string.h>

static size_t list_of(uint64_t id)
{
	return id * 0x9e3779b97f4a7c15u >> 48;
}

/* Where the number of the item is, or 0, at the end of the list. */
static uint32_t *find(struct cape_book *book, uint32_t *lists, uint64_t id)
{
	uint32_t *at = &lists[list_of(id)];

	while (*at && book->item[*at - 1].id != id)
		at = &book->item[*at - 1].next;
	return at;
}

/* A new item at AT, the end of a list; NULL: the book is full. */
static struct cape_book_item *insert(struct cape_book *book, uint32_t *at, uint64_t id)
{
	uint32_t number = book->spare;

	if (number)
		book->spare = book->item[number - 1].next;
	else if (book->used < CAPE_BOOK_ITEMS)
		number = ++book->used;
	else
		return NULL;
	book->item[number - 1].id = id;
	book->item[number - 1].next = 0;
	*at = number;
	return &book->item[number - 1];
}

static void take_out(struct cape_book *book, uint32_t *at)
{
	uint32_t number = *at;

	*at = book->item[number - 1].next;
	book->item[number - 1].next = book->spare;
	book->spare = number;
}

static int wait_for(struct cape_book *book, struct cape_book_item *lock, uint32_t number)
{
	struct cape_book_waiter *waiter = cape_book_waiter(book, number);

	if (waiter->waits)
		return -EALREADY;
	waiter->id = lock->id;
	waiter->next = waiter->got = 0;
	waiter->waits = 1;
	if (lock->lock.first)
		cape_book_waiter(book, lock->lock.last)->next = number;
	else
		lock->lock.first = number;
	lock->lock.last = number;
	return CAPE_BOOK_WAITS;
}

int cape_book_acquire(struct cape_book *book, const struct cape_service_request *request)
{
	uint32_t *at = find(book, book->locks, request->id);
	struct cape_book_item *lock;

	book->changes++;
	if (*at && request->acquire.only_tries)
		return CAPE_BOOK_HELD;
	if (*at)
		return wait_for(book, &book->item[*at - 1],
				cape_book_number(request->node, request->tag));
	lock = insert(book, at, request->id);
	if (!lock)
		return -ENOSPC;
	lock->lock.holder = request->node;
	lock->lock.first = lock->lock.last = 0;
	return CAPE_BOOK_GOT;
}

int cape_book_release(struct cape_book *book, uint32_t node, uint64_t id)
{
	uint32_t *at = find(book, book->locks, id), next;
	struct cape_book_item *lock = *at ? &book->item[*at - 1] : NULL;

	book->changes++;
	if (!lock || lock->lock.holder != node)
		return -EPERM;
	next = lock->lock.first;
	if (!next) {
		take_out(book, at);
		return 0;
	}
	lock->lock.holder = cape_book_node(next);
	lock->lock.first = cape_book_waiter(book, next)->next;
	cape_book_waiter(book, next)->waits = 0;
	return (int)next;
}

static struct cape_book_item *loop_of(struct cape_book *book, uint32_t *at,
				      const struct cape_service_request *request)
{
	struct cape_book_item *loop;

	if (*at)
		return &book->item[*at - 1];
	loop = insert(book, at, request->id);
	if (!loop)
		return NULL;
	memset(&loop->loop, 0, sizeof(loop->loop));
	loop->loop.left = request->chunk.first;
	loop->loop.begins = *request;
	return loop;
}

int cape_book_chunk(struct cape_book *book, const struct cape_service_request *request,
		    struct cape_service_reply *reply)
{
	uint32_t *at = find(book, book->loops, request->id), node = request->node;
	struct cape_book_item *loop;
	uint64_t *is_over;
	int error;

	book->changes++;
	if (!request->chunk.nodes || request->chunk.nodes > CAPE_NODES_LIMIT)
		return -ERANGE;
	loop = loop_of(book, at, request);
	if (!loop)
		return -ENOSPC;
	is_over = &loop->loop.is_over[node / 64];
	if (!cape_service_same_loop(request, &loop->loop.begins))
		return -EINVAL;
	if (*is_over >> node % 64 & 1)
		return -EALREADY;
	error = cape_meeting_next_chunk(&loop->loop.meeting, &book->meetings, &book->guest[node],
					request, &loop->loop.left, reply);
	if (error || reply->result != CAPE_CHUNK_NONE)
		return error;
	*is_over |= 1ull << node % 64;
	if (++loop->loop.over == request->chunk.nodes)
		take_out(book, at);
	return 0;
}

const char *cape_book_wrong(int error)
{
	switch (error) {
	case -ENOSPC:
		return "more locks are held and more loops without a barrier begun than there is "
		       "room for";
	case -EPERM:
		return "a lock is released by a node that does not hold it";
	case -EALREADY:
		return "a node takes part twice";
	case -ERANGE:
		return "nodes disagree about how many take part";
	default:
		return "nodes disagree about a loop's iterations or its schedule";
	}
}

int cape_book_holder(const struct cape_book *book, uint64_t id)
{
	uint32_t at = book->locks[list_of(id)];

	while (at && book->item[at - 1].id != id)
		at = book->item[at - 1].next;
	return at ? (int)book->item[at - 1].lock.holder : -1;
}
