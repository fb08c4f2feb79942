// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pair.c - queues of messages, and the socket that they go through.
 *
 * Whatever comes is read at once, and kept until somebody receives it: a message that nobody wants
 * yet holds up none after it.
 */
#include "pair.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>
#include "common/clock.h"

#define PIECE  65536 /* bytes that are read at a time, of which some may be whole messages */
#define PIECES 16    /* read of one pair before others have their turn */

static void put(struct queue *queue, struct item *item)
{
	item->next = NULL;
	if (queue->first)
		queue->last->next = item;
	else
		queue->first = item;
	queue->last = item;
}

static struct item *take(struct queue *queue)
{
	struct item *item = queue->first;

	if (item)
		queue->first = item->next;
	return item;
}

static bool take_out(struct queue *queue, struct item *item)
{
	struct item *before = NULL, *at = queue->first;

	while (at && at != item) {
		before = at;
		at = at->next;
	}
	if (!at)
		return false;
	*(before ? &before->next : &queue->first) = item->next;
	if (queue->last == item)
		queue->last = before;
	return true;
}

static void *allocate(size_t size)
{
	void *memory = malloc(size);

	if (memory)
		return memory;
	fprintf(stderr, "cape-run: out of memory for a message of %zu bytes\n", size);
	abort();
}

static void free_all(struct queue *queue)
{
	struct item *item;

	while ((item = take(queue)))
		free(item);
}

static void end_all(struct queue *queue)
{
	struct item *item;

	while ((item = take(queue))) {
		item->ended = true;
		if (((struct going *)item)->own)
			free(item);
	}
}

/* The other node's monitor is ending, and whatever is for it has nobody to go to. */
static void end_sending(struct pair *pair)
{
	pair->deaf = true;
	end_all(&pair->going);
	end_all(&pair->untaken);
}

/* It has ended, and nothing comes from it any more. */
static void end(struct pair *pair)
{
	end_sending(pair);
	epoll_ctl(pair->events, EPOLL_CTL_DEL, pair->socket, NULL);
	/* The child that is to become the program has it, too, for a while. */
	shutdown(pair->socket, SHUT_RDWR);
	close(pair->socket);
	pair->socket = -1;
}

/* Events are to come when the socket takes more, if more is to go. */
static void watch(const struct pair *pair)
{
	struct epoll_event event = {.events = EPOLLIN | (pair->going.first ? EPOLLOUT : 0),
				    .data.ptr = (void *)pair};

	epoll_ctl(pair->events, EPOLL_CTL_MOD, pair->socket, &event);
}

/* How much of HEAD and BYTES after the first GONE the socket takes, or the pair is deaf. */
static size_t send_some(struct pair *pair, const struct pair_head *head, const void *bytes,
			size_t gone)
{
	size_t of_head = gone < sizeof(*head) ? gone : sizeof(*head), of_bytes = gone - of_head;
	struct iovec part[] = {
		{(unsigned char *)head + of_head, sizeof(*head) - of_head},
		{(unsigned char *)bytes + of_bytes, head->size - of_bytes},
	};
	struct msghdr message = {.msg_iov = part, .msg_iovlen = 2};
	ssize_t sent;

	do
		sent = sendmsg(pair->socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
	while (sent < 0 && errno == EINTR);
	if (sent < 0 && errno != EAGAIN)
		end_sending(pair);
	return sent < 0 ? 0 : (size_t)sent;
}

static size_t length_of(const struct pair_head *head)
{
	return sizeof(*head) + head->size;
}

/* GOING, the first of its queue, is with the socket. */
static void has_gone(struct pair *pair, struct going *going)
{
	take(&pair->going);
	if (going->head.receipt && !going->own) {
		put(&pair->untaken, &going->item);
		return;
	}
	going->item.ended = true;
	if (going->own)
		free(going);
}

static void send_rest(struct pair *pair)
{
	bool moved = true;

	if (!pair->going.first)
		return;
	while (moved && pair->going.first) {
		struct going *going = (struct going *)pair->going.first;
		size_t sent = send_some(pair, &going->head, going->bytes, going->gone);

		/* Then it has ended, and may be freed. */
		if (pair->deaf)
			break;
		moved = sent > 0;
		going->gone += sent;
		if (going->gone == length_of(&going->head))
			has_gone(pair, going);
	}
	if (!pair->going.first)
		watch(pair);
}

static bool is_mischievous(const struct pair *pair)
{
	return pair->mischief.pace;
}

static struct item *begin(struct pair *pair, const struct pair_head *head, const void *bytes,
			  bool own)
{
	struct going *going;
	size_t gone = 0;

	if (!pair->deaf && !pair->going.first)
		gone = send_some(pair, head, bytes, 0);
	if (pair->deaf || (gone == length_of(head) && (own || !head->receipt)))
		return NULL;
	going = allocate(sizeof(*going));
	*going = (struct going){.head = *head, .bytes = bytes, .gone = gone, .own = own};
	if (gone == length_of(head)) {
		put(&pair->untaken, &going->item);
		return &going->item;
	}
	put(&pair->going, &going->item);
	watch(pair);
	return &going->item;
}

struct item *pair_send(struct pair *pair, const void *bytes, size_t size, unsigned tag,
		       bool receipt)
{
	const struct pair_head head = {
		.tag = tag, .size = (uint32_t)size, .receipt = receipt ? ++pair->receipts : 0};

	return begin(pair, &head, bytes, false);
}

void pair_tell(struct pair *pair, enum pair_tag tag, uint64_t receipt)
{
	begin(pair, &(struct pair_head){.tag = tag, .receipt = receipt}, NULL, true);
}

/* The monitor cannot go on with what came. */
static void refuse(const struct pair *pair, const struct pair_head *head, const char *why)
{
	fprintf(stderr, "cape-run: node %d has sent a message, tag %u, of %u bytes: %s\n",
		pair->other, head->tag, head->size, why);
	abort();
}

static void receive(struct pair *pair, struct receiving *receiving, struct coming *coming)
{
	if (coming->head.size > receiving->room)
		refuse(pair, &coming->head, "there is no room for as many");
	if (coming->head.size)
		memcpy(receiving->bytes, coming->bytes, coming->head.size);
	receiving->item.size = coming->head.size;
	receiving->item.ended = true;
	if (coming->head.receipt)
		pair_tell(pair, PAIR_TAG_RECEIPT, coming->head.receipt);
	free(coming);
}

/* Whether MESSAGE, if there is one, can be seen. */
static bool is_due(const struct pair *pair, const struct item *message)
{
	return message &&
	       (!is_mischievous(pair) || ((const struct coming *)message)->due <= clock_now());
}

/* Those who wait get what is here. */
static void match(struct pair *pair, unsigned tag)
{
	struct queue *here = &pair->here[tag], *receiving = &pair->receiving[tag];

	while (receiving->first && is_due(pair, here->first))
		receive(pair, (struct receiving *)take(receiving), (struct coming *)take(here));
}

/* Receipts come in the order in which messages are received, which is not that of all tags. */
static void take_receipt(struct pair *pair, const struct pair_head *head)
{
	struct item *at = pair->untaken.first;

	while (at && ((struct going *)at)->head.receipt != head->receipt)
		at = at->next;
	if (!at)
		refuse(pair, head, "a receipt for nothing");
	take_out(&pair->untaken, at);
	at->ended = true;
}

/* It is here as a whole. */
static void arrive(struct pair *pair)
{
	struct coming *coming = pair->coming;

	pair->coming = NULL;
	if (is_mischievous(pair))
		coming->due = clock_now() + mischief_delay(&pair->mischief);
	put(&pair->here[coming->head.tag], &coming->item);
	match(pair, coming->head.tag);
}

/* Its head is here, which may be all of it. */
static void head_is_here(struct pair *pair)
{
	const struct pair_head *head = &pair->head;

	pair->head_come = 0;
	if (head->tag == PAIR_TAG_RECEIPT && !head->size) {
		take_receipt(pair, head);
	} else if (head->tag == PAIR_TAG_BARRIER && !head->size) {
		pair->barriers++;
	} else if (head->tag < 1 || head->tag > WIRE_TAG_LAST || head->size > WIRE_MESSAGE_LIMIT) {
		refuse(pair, head, "that is none");
	} else {
		pair->coming = allocate(sizeof(*pair->coming) + head->size);
		*pair->coming = (struct coming){.head = *head};
		if (!head->size)
			arrive(pair);
	}
}

/* Bytes have come. */
static void take_bytes(struct pair *pair, const unsigned char *bytes, size_t size)
{
	while (size) {
		struct coming *coming = pair->coming;
		size_t piece = coming ? coming->head.size - coming->come
				      : sizeof(pair->head) - pair->head_come;

		if (piece > size)
			piece = size;
		if (coming)
			memcpy(coming->bytes + coming->come, bytes, piece);
		else
			memcpy((unsigned char *)&pair->head + pair->head_come, bytes, piece);
		*(coming ? &coming->come : &pair->head_come) += piece;
		if (coming && coming->come == coming->head.size)
			arrive(pair);
		else if (!coming && pair->head_come == sizeof(pair->head))
			head_is_here(pair);
		bytes += piece;
		size -= piece;
	}
}

/* Of a large message the rest is read to where it belongs.  Whether there may be more. */
static bool read_some(struct pair *pair)
{
	static unsigned char piece[PIECE];
	struct coming *coming = pair->coming;
	size_t rest = coming ? coming->head.size - coming->come : 0;
	bool large = rest > sizeof(piece);
	size_t most = large ? rest : sizeof(piece);
	ssize_t got = recv(pair->socket, large ? coming->bytes + coming->come : piece, most,
			   MSG_DONTWAIT);

	if (got < 0 && (errno == EAGAIN || errno == EINTR))
		return false;
	if (got <= 0) {
		end(pair);
		pair->lost = true;
		return false;
	}
	if (!large) {
		take_bytes(pair, piece, (size_t)got);
		return (size_t)got == most;
	}
	coming->come += (size_t)got;
	if (coming->come == coming->head.size)
		arrive(pair);
	return true;
}

void pair_turn(struct pair *pair)
{
	for (int i = 0; i < PIECES && pair->socket >= 0 && read_some(pair); i++)
		;
	if (pair->socket >= 0)
		send_rest(pair);
}

struct item *pair_receive(struct pair *pair, void *bytes, size_t room, unsigned tag)
{
	struct receiving *receiving = allocate(sizeof(*receiving));

	*receiving =
		(struct receiving){.queue = &pair->receiving[tag], .bytes = bytes, .room = room};
	put(&pair->receiving[tag], &receiving->item);
	match(pair, tag);
	return &receiving->item;
}

void pair_cancel(struct item *item)
{
	if (take_out(((struct receiving *)item)->queue, item))
		item->ended = true;
}

bool pair_has(const struct pair *pair, unsigned tag)
{
	return is_due(pair, pair->here[tag].first);
}

void pair_look(struct pair *pair)
{
	for (unsigned tag = 0; tag < PAIR_TAGS; tag++)
		match(pair, tag);
}

bool pair_is_idle(const struct pair *pair)
{
	return !pair->going.first;
}

int pair_open(struct pair *pair, int other, int socket, int events)
{
	struct epoll_event event = {.events = EPOLLIN, .data.ptr = pair};

	*pair = (struct pair){
		.other = other, .socket = socket, .deaf = socket < 0, .events = events};
	if (socket < 0)
		return 0;
	return epoll_ctl(events, EPOLL_CTL_ADD, socket, &event) < 0 ? -errno : 0;
}

void pair_close(struct pair *pair)
{
	if (pair->socket >= 0)
		end(pair);
	for (unsigned tag = 0; tag < PAIR_TAGS; tag++)
		free_all(&pair->here[tag]);
	free(pair->coming);
}
