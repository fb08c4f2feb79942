// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * book.c - who holds which lock, and how far loops have been handed out.
 */
#include "channel/book.h"

#include <errno.h>
#include "channel/watch.h"
#include "system/libc.h"

static struct cape_book *book_of(struct cape_channel *channel)
{
	return (struct cape_book *)((char *)cape_board_of(channel) + CAPE_BOARD_BOOK);
}

static uint32_t *lists_at(uint32_t *lists, uint64_t id)
{
	return &lists[id * 0x9e3779b97f4a7c15u >> 48];
}

/* Where the number of the item is, or 0, at the end of the list. */
static uint32_t *find(struct cape_book *book, uint32_t *lists, uint64_t id)
{
	uint32_t *at = lists_at(lists, id);

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
	book->item[number - 1] = (struct cape_book_item){.id = id};
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

/* Until this node has the lock; false: it has not got it, and is asleep now. */
static bool await_lock(struct cape_channel *channel, struct cape_book_node *node)
{
	struct cape_book *book = book_of(channel);
	bool got;

	cape_watch_or_sleep(channel, &node->got, 0, &node->sleeping, &cape_watch_longest);
	if (__atomic_load_n(&node->got, __ATOMIC_ACQUIRE))
		return true;
	cape_mutex_lock(&book->mutex);
	got = node->waits == CAPE_BOOK_NOT;
	if (!got)
		node->waits = CAPE_BOOK_ASLEEP;
	cape_mutex_unlock(&book->mutex);
	return got;
}

int cape_book_acquire(struct cape_channel *channel, uint64_t id, bool wait)
{
	struct cape_book *book = book_of(channel);
	struct cape_book_node *node = &book->node[channel->node];
	struct cape_book_item *lock = NULL;
	uint32_t *at;
	bool is_free;

	cape_mutex_lock(&book->mutex);
	at = find(book, book->locks, id);
	is_free = !*at;
	if (is_free) {
		lock = insert(book, at, id);
		if (lock)
			lock->count = channel->node;
	} else if (wait) {
		node->id = id;
		node->ticket = book->tickets++;
		node->got = 0;
		node->waits = CAPE_BOOK_AWAKE;
	}
	cape_mutex_unlock(&book->mutex);
	if (is_free)
		return lock ? CAPE_BOOK_GOT : -ENOSPC;
	if (!wait)
		return CAPE_BOOK_HELD;
	return await_lock(channel, node) ? CAPE_BOOK_GOT : CAPE_BOOK_WAITS;
}

/* Of the nodes that wait for lock ID, the one that came first, or -1. */
static int first_waiting(struct cape_channel *channel, uint64_t id)
{
	const struct cape_book_node *node = book_of(channel)->node;
	int first = -1;

	for (uint32_t i = 0; i < channel->nodes; i++)
		if (node[i].waits != CAPE_BOOK_NOT && node[i].id == id &&
		    (first < 0 || node[i].ticket < node[first].ticket))
			first = (int)i;
	return first;
}

int cape_book_release(struct cape_channel *channel, uint64_t id, int *sleeper)
{
	struct cape_book *book = book_of(channel);
	struct cape_book_node *next = NULL;
	bool is_awake = false, is_mine;
	uint32_t *at;
	int first;

	*sleeper = -1;
	cape_mutex_lock(&book->mutex);
	at = find(book, book->locks, id);
	is_mine = *at && book->item[*at - 1].count == channel->node;
	first = is_mine ? first_waiting(channel, id) : -1;
	if (first >= 0) {
		next = &book->node[first];
		book->item[*at - 1].count = (uint32_t)first;
		is_awake = next->waits == CAPE_BOOK_AWAKE;
		next->waits = CAPE_BOOK_NOT;
		__atomic_store_n(&next->got, 1, __ATOMIC_SEQ_CST);
	} else if (is_mine) {
		take_out(book, at);
	}
	cape_mutex_unlock(&book->mutex);
	if (next && !is_awake)
		*sleeper = first;
	else if (next)
		cape_watch_wake(&next->got, &next->sleeping);
	return is_mine ? 0 : -EPERM;
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
	loop->left = request->chunk.first;
	loop->begins = *request;
	return loop;
}

int cape_book_chunk(struct cape_channel *channel, const struct cape_service_request *request,
		    struct cape_service_reply *reply)
{
	struct cape_book *book = book_of(channel);
	struct cape_book_item *loop;
	int error = 0;
	uint32_t *at;

	cape_mutex_lock(&book->mutex);
	at = find(book, book->loops, request->id);
	loop = loop_of(book, at, request);
	if (!loop) {
		error = -ENOSPC;
	} else if (!cape_service_same_loop(request, &loop->begins)) {
		error = -EINVAL;
	} else {
		error = cape_meeting_next_chunk(&loop->meeting, &book->meetings,
						&book->node[channel->node].guest, request,
						&loop->left, reply);
		if (!error && reply->result == CAPE_CHUNK_NONE &&
		    ++loop->count == request->chunk.nodes)
			take_out(book, at);
	}
	cape_mutex_unlock(&book->mutex);
	return error;
}

int cape_book_holder(int file, uint64_t id)
{
	struct cape_book *book =
		mmap(NULL, sizeof(*book), PROT_READ, MAP_SHARED, file, (off_t)CAPE_BOARD_BOOK);
	uint32_t *at;
	int holder;

	if (book == MAP_FAILED)
		return -1;
	at = find(book, book->locks, id);
	holder = *at ? (int)book->item[*at - 1].count : -1;
	munmap(book, sizeof(*book));
	return holder;
}
