// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * push.c - a message to each of some nodes and from each of some, all at once: what is small in one
 * piece with its size, what is large as a stream of segments after its size.
 */
#include "push.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include "areas.h"
#include "base/loop.h"
#include "checkpoint/pack.h"
#include "sent.h"
#include "window.h"

/* Bytes of an area that messages may take; after them is what a service brings. */
#define AREA_LIMIT (CAPE_CHANNEL_LIMIT / 2)

/* The first message; the bytes follow in it if they fit. */
struct head {
	uint64_t size;
	unsigned char bytes[WIRE_SMALL_LIMIT - sizeof(uint64_t)];
};

/* One direction between this node and another one. */
struct way {
	struct wire_request head;
	struct window window;
	unsigned char *at;
	uint64_t size;
	uint64_t segment; /* the next */
	bool open;	  /* the head is on its way, or segments are */
	bool known;	  /* AT and SIZE are */
};

struct pair {
	struct way in, out;
};

struct push {
	struct wire *wire;
	struct cape_channel *channel;
	uint64_t used; /* of the in area */
	/* By node. */
	struct pair *pair;
	struct head *in, *out;
	unsigned char *room; /* of windows: two of each pair; NULL: nothing is packed */
};

struct push *push_start(struct wire *wire, struct cape_channel *channel)
{
	struct push *push = calloc(1, sizeof(*push));
	size_t count = (size_t)wire->size;

	if (!push)
		return NULL;
	push->wire = wire;
	push->channel = channel;
	push->pair = calloc(count, sizeof(*push->pair));
	push->in = malloc(count * sizeof(*push->in));
	push->out = malloc(count * sizeof(*push->out));
	if (wire->packs)
		push->room = malloc(count * 2 * WINDOW_ROOM);
	if (push->pair && push->in && push->out && (push->room || !wire->packs))
		return push;
	push_stop(push);
	return NULL;
}

void push_stop(struct push *push)
{
	free(push->pair);
	free(push->in);
	free(push->out);
	free(push->room);
	free(push);
}

static bool is_small(uint64_t size)
{
	return size <= sizeof(((struct head *)NULL)->bytes);
}

/* The room of a window, if it needs one. */
static unsigned char *room_of(const struct push *push, int other, bool in)
{
	return push->room ? push->room + (2 * (size_t)other + in) * WINDOW_ROOM : NULL;
}

/* Writes the bytes that go with a head, which are as many if they are not packed. */
static size_t fill(const struct push *push, struct head *head, const unsigned char *from)
{
	size_t packed = 0;

	if (!is_small(head->size))
		return 0;
	if (push->wire->packs)
		packed = cape_pack(from, head->size, head->bytes);
	if (packed)
		return packed;
	memcpy(head->bytes, from, head->size);
	return head->size;
}

static void expect(struct push *push, int from)
{
	struct way *way = &push->pair[from].in;

	*way = (struct way){.open = cape_channel_pushed(push->channel, (uint32_t)from)->size};
	way->window.room = room_of(push, from, true);
	if (way->open)
		wire_receive(push->wire, &push->in[from], sizeof(push->in[from]), from,
			     WIRE_TAG_PUSH, &way->head);
}

static int begin_send(struct push *push, int to)
{
	const struct cape_channel_message part = *cape_channel_push(push->channel, (uint32_t)to);
	struct way *way = &push->pair[to].out;
	struct head *head = &push->out[to];
	size_t size;

	*way = (struct way){.size = part.size, .open = part.size, .known = true};
	way->window.room = room_of(push, to, false);
	if (!way->open)
		return 0;
	if (part.size > AREA_LIMIT || part.offset > AREA_LIMIT - part.size)
		return -EINVAL;
	way->at = areas_out(push->channel) + part.offset;
	head->size = part.size;
	size = offsetof(struct head, bytes) + fill(push, head, way->at);
	wire_send(push->wire, head, size, to, WIRE_TAG_PUSH, &way->head);
	sent_add(push->channel, CAPE_SENT_OWN, size);
	return 0;
}

/* The head has come: its bytes are put where they belong, or those that follow will be. */
static int place(struct push *push, int from)
{
	struct cape_channel_message *pushed = cape_channel_pushed(push->channel, (uint32_t)from);
	const struct head *head = &push->in[from];
	struct way *way = &push->pair[from].in;
	size_t came = way->head.size - offsetof(struct head, bytes);

	if (way->head.size < offsetof(struct head, bytes) ||
	    (is_small(head->size) ? came > head->size : came != 0))
		return -EPROTO;
	if (head->size > AREA_LIMIT - push->used)
		return -ENOMEM;
	pushed->offset = push->used;
	pushed->size = head->size;
	way->at = areas_in(push->channel) + push->used;
	way->size = head->size;
	way->known = true;
	push->used += (head->size + 63) & ~63ull;
	if (!is_small(head->size))
		return 0;
	if (came < head->size)
		return cape_unpack(head->bytes, came, way->at, head->size);
	memcpy(way->at, head->bytes, head->size);
	return 0;
}

/* Begins segments as far as the window allows.  0 or -EPROTO. */
static int begin_segments(struct push *push, struct way *way, int other, bool in)
{
	while (!is_small(way->size) && way->segment < window_segments(way->size) &&
	       !window_is_full(&way->window)) {
		unsigned char *at = way->at + way->segment * WINDOW_SEGMENT;
		size_t length = window_segment_length(way->size, way->segment++);

		if (in)
			window_receive(push->wire, &way->window, at, length, other, WIRE_TAG_PUSH);
		else
			sent_add(push->channel, CAPE_SENT_OWN,
				 window_send(push->wire, &way->window, at, length, other,
					     WIRE_TAG_PUSH));
	}
	return window_reap(push->wire, &way->window);
}

/* Whether something of WAY moved, or -errno. */
static int advance(struct push *push, struct way *way, int other, bool in)
{
	uint64_t before = way->window.ended;
	bool came = way->head.pending && wire_test(push->wire, &way->head);
	int error = in && came ? place(push, other) : 0;

	if (!error && way->known)
		error = begin_segments(push, way, other, in);
	if (error)
		return error;
	way->open = way->head.pending || !window_is_empty(&way->window) ||
		    (!is_small(way->size) && way->segment < window_segments(way->size));
	return came || way->window.ended != before;
}

/* Whether something moved, or -errno.  *OPEN: not all is done. */
static int advance_all(struct push *push, bool *open)
{
	int moved = 0;

	*open = false;
	for (int which = 0; which < push->wire->size; which++) {
		struct pair *pair = &push->pair[which];
		int in = pair->in.open ? advance(push, &pair->in, which, true) : 0;
		int out = pair->out.open ? advance(push, &pair->out, which, false) : 0;

		if (in < 0)
			return in;
		moved |= in | out;
		*open |= pair->in.open || pair->out.open;
	}
	return moved;
}

int push_begin(struct push *push)
{
	int size = push->wire->size, own = push->wire->rank, error = 0;

	if (cape_channel_push(push->channel, (uint32_t)own)->size)
		return -EINVAL;
	push->pair[own].out = (struct way){0};
	/* Not all to the same one first. */
	for (int i = 1; i < size && !error; i++)
		error = begin_send(push, (own + i) % size);
	return error;
}

static int expect_all(struct push *push, uint64_t used)
{
	if (cape_channel_pushed(push->channel, (uint32_t)push->wire->rank)->size)
		return -EINVAL;
	push->used = (used + 63) & ~63ull;
	for (int which = 0; which < push->wire->size; which++)
		expect(push, which);
	return 0;
}

static int finish(struct push *push, uint64_t *used)
{
	struct patience patience = {0};
	bool open = true;
	int error = 0;

	while (!error && open) {
		int moved = advance_all(push, &open);

		if (moved < 0)
			error = moved;
		else if (moved)
			patience = (struct patience){0};
		else if (open)
			error = loop_pause(push->wire->loop, &patience);
	}
	*used = push->used;
	return error;
}

int push_end(struct push *push, uint64_t *used)
{
	int error = expect_all(push, *used);

	return error ? error : finish(push, used);
}

int push_exchange(struct push *push, uint64_t *used)
{
	int error = expect_all(push, *used);

	if (!error)
		error = push_begin(push);
	return error ? error : finish(push, used);
}
