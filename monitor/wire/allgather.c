// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * allgather.c - the all-gather of a sync point: Bruck's algorithm for what is small, a pipelined
 * ring for what is large; for any number of nodes.
 *
 * Checkpoints are not merged on their way: each node merges all of them at once while it writes
 * them to memory, where the base shows which bytes of a word changed.
 */
#include "allgather.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "areas.h"
#include "base/loop.h"
#include "checkpoint/pack.h"
#include "sent.h"
#include "window.h"

/*
 * What all nodes learn of one node's message, with as many words of the note as there are nodes
 * for; the message follows if it is small.
 */
struct small {
	uint32_t node;
	uint32_t carried; /* bytes that follow, padded to 8 */
	uint64_t size;
	struct allgather_note note;
};

struct allgather {
	struct wire *wire;
	struct cape_channel *channel;
	unsigned char *sending;
	unsigned char *receiving;
	unsigned char *packed; /* one of them, on its way */
	size_t buffer_size;
	unsigned char *room; /* of the ring's windows */
	struct small *small; /* by node */
};

struct allgather *allgather_start(struct wire *wire, struct cape_channel *channel)
{
	struct allgather *allgather = calloc(1, sizeof(*allgather));

	if (!allgather)
		return NULL;
	allgather->wire = wire;
	allgather->channel = channel;
	allgather->buffer_size = (size_t)wire->size * (sizeof(struct small) + WIRE_SMALL_LIMIT);
	allgather->sending = malloc(allgather->buffer_size + CAPE_PACK_HEAD);
	allgather->receiving = malloc(allgather->buffer_size);
	if (wire->packs)
		allgather->packed = malloc(allgather->buffer_size + CAPE_PACK_HEAD);
	if (wire->packs)
		allgather->room = malloc(2 * WINDOW_ROOM);
	allgather->small = calloc((size_t)wire->size, sizeof(*allgather->small));
	if (allgather->sending && allgather->receiving && allgather->small &&
	    (!wire->packs || (allgather->packed && allgather->room)))
		return allgather;
	allgather_stop(allgather);
	return NULL;
}

void allgather_stop(struct allgather *allgather)
{
	free(allgather->sending);
	free(allgather->receiving);
	free(allgather->packed);
	free(allgather->room);
	free(allgather->small);
	free(allgather);
}

/* Bytes of it that travel. */
static size_t head_size(const struct allgather *allgather)
{
	size_t words = ((size_t)allgather->wire->size + 63) / 64;

	return offsetof(struct small, note.pushes) + words * sizeof(uint64_t);
}

static unsigned char *message_of(const struct allgather *allgather, int which)
{
	if (which == allgather->wire->rank)
		return areas_out(allgather->channel);
	return areas_in(allgather->channel) + allgather->channel->in[which].offset;
}

static uint64_t padded(uint64_t size)
{
	return (size + 7) & ~7ull;
}

/*
 * Small messages are stored one after the other in the order in which they arrive; USED is how
 * much of the in area that took.
 */
static int take_small(struct allgather *allgather, const unsigned char *from, size_t size,
		      uint64_t *used)
{
	struct cape_channel *channel = allgather->channel;
	size_t head = head_size(allgather);

	while (size) {
		struct small small = {0};

		if (size < head)
			return -EPROTO;
		memcpy(&small, from, head);
		from += head;
		size -= head;
		if (small.node >= (uint32_t)allgather->wire->size || small.carried > size ||
		    (small.carried && small.carried != padded(small.size)))
			return -EPROTO;
		/* This node's own message is where it is, and another's comes once. */
		if (small.node == (uint32_t)allgather->wire->rank ||
		    allgather->small[small.node].size)
			return -EPROTO;
		allgather->small[small.node] = small;
		channel->in[small.node].offset = *used;
		channel->in[small.node].size = small.size;
		memcpy(areas_in(channel) + *used, from, small.carried);
		*used += small.carried;
		from += small.carried;
		size -= small.carried;
	}
	return 0;
}

static size_t put_small(const struct allgather *allgather, int which, unsigned char *to)
{
	const struct small *small = &allgather->small[which];
	size_t head = head_size(allgather);

	memcpy(to, small, head);
	memcpy(to + head, message_of(allgather, which), small->carried);
	return head + small->carried;
}

/* Of SIZE bytes that go to another node OWN are this node's own, before they are packed. */
static void count_small(struct allgather *allgather, size_t own, size_t size, size_t packed)
{
	size_t part = own * packed / size;

	sent_add(allgather->channel, CAPE_SENT_OWN, part);
	sent_add(allgather->channel, CAPE_SENT_FORWARDED, packed - part);
}

/* Sends SIZE bytes of the sending buffer, and receives as many as come. */
static int swap(struct allgather *allgather, size_t own, size_t size, int to, int from,
		size_t *came)
{
	struct wire *wire = allgather->wire;
	unsigned char *receiving = allgather->receiving;
	struct wire_request request[2];
	int error;

	wire_receive(wire, receiving, allgather->buffer_size, from, WIRE_TAG_BRUCK, &request[0]);
	wire_send(wire, allgather->sending, size, to, WIRE_TAG_BRUCK, &request[1]);
	count_small(allgather, own, size, size);
	error = wire_wait(wire, request, 2);
	*came = request[0].size;
	return error;
}

static int swap_packed(struct allgather *allgather, size_t own, size_t size, int to, int from,
		       size_t *came)
{
	struct wire *wire = allgather->wire;
	size_t packed = cape_pack_message(allgather->sending, size, allgather->packed);
	struct wire_request request[2];
	ssize_t unpacked;
	int error;

	/* What was packed lies apart, so what it was packed from is free. */
	wire_receive(wire, allgather->sending, allgather->buffer_size + CAPE_PACK_HEAD, from,
		     WIRE_TAG_BRUCK, &request[0]);
	wire_send(wire, allgather->packed, packed, to, WIRE_TAG_BRUCK, &request[1]);
	count_small(allgather, own, size, packed);
	error = wire_wait(wire, request, 2);
	if (error)
		return error;
	unpacked = cape_unpack_message(allgather->sending, request[0].size, allgather->receiving,
				       allgather->buffer_size);
	*came = (size_t)unpacked;
	return unpacked < 0 ? (int)unpacked : 0;
}

/* One step: what nodes rank .. rank + count - 1 said goes down, the next COUNT come from above. */
static int bruck_step(struct allgather *allgather, int distance, int count, uint64_t *used)
{
	struct wire *wire = allgather->wire;
	int below = (wire->rank - distance + wire->size) % wire->size;
	int above = (wire->rank + distance) % wire->size;
	size_t own = put_small(allgather, wire->rank, allgather->sending), size = own, came = 0;
	int error;

	for (int i = 1; i < count; i++)
		size += put_small(allgather, (wire->rank + i) % wire->size,
				  allgather->sending + size);
	error = (wire->packs ? swap_packed : swap)(allgather, own, size, below, above, &came);
	return error ? error : take_small(allgather, allgather->receiving, came, used);
}

/* Any number of nodes in ceil(log2(nodes)) steps. */
static int exchange_small(struct allgather *allgather, const struct allgather_note *note,
			  uint64_t *used)
{
	struct wire *wire = allgather->wire;
	uint64_t size = allgather->channel->out_size;

	allgather->small[wire->rank] = (struct small){
		.node = (uint32_t)wire->rank,
		.carried = size <= WIRE_SMALL_LIMIT - 8 ? (uint32_t)padded(size) : 0,
		.size = size,
		.note = *note,
	};
	for (int distance = 1; distance < wire->size; distance *= 2) {
		int count = distance < wire->size - distance ? distance : wire->size - distance;
		int error = bruck_step(allgather, distance, count, used);

		if (error)
			return error;
	}
	return 0;
}

/* The large messages as one stream of segments in the order in which they pass this node. */
struct stream {
	int hop;	  /* how far upstream the message's node is */
	uint64_t segment; /* the next one of this message */
	uint64_t passed;  /* segments of all messages */
};

static bool is_large(const struct allgather *allgather, int which)
{
	return !allgather->small[which].carried && allgather->small[which].size;
}

/* The next segment of the stream, which ends with hop LAST; false at its end. */
static bool next_segment(const struct allgather *allgather, struct stream *stream, int last,
			 unsigned char **at, size_t *length)
{
	const struct wire *wire = allgather->wire;

	for (; stream->hop <= last; stream->hop++, stream->segment = 0) {
		int which = (wire->rank - stream->hop + wire->size) % wire->size;
		uint64_t size = allgather->small[which].size;

		if (!is_large(allgather, which) || stream->segment == window_segments(size))
			continue;
		*at = message_of(allgather, which) + stream->segment * WINDOW_SEGMENT;
		*length = window_segment_length(size, stream->segment++);
		stream->passed++;
		return true;
	}
	return false;
}

/* One node's way around the ring: what comes from the left goes on to the right. */
struct ring {
	struct stream in, out;
	struct window receive, send;
	bool more_in, more_out;
	uint64_t own; /* segments that are here from the start */
};

static int begin_receives(struct allgather *allgather, struct ring *ring)
{
	struct wire *wire = allgather->wire;
	int left = (wire->rank - 1 + wire->size) % wire->size;
	unsigned char *at;
	size_t length;

	while (ring->more_in && !window_is_full(&ring->receive)) {
		ring->more_in = next_segment(allgather, &ring->in, wire->size - 1, &at, &length);
		if (ring->more_in)
			window_receive(wire, &ring->receive, at, length, left, WIRE_TAG_RING);
	}
	return window_reap(wire, &ring->receive);
}

/* A segment is passed on as soon as it is here; the node upstream of its origin keeps it. */
static int begin_sends(struct allgather *allgather, struct ring *ring)
{
	struct wire *wire = allgather->wire;
	int right = (wire->rank + 1) % wire->size;
	unsigned char *at;
	size_t length;

	while (ring->more_out && !window_is_full(&ring->send)) {
		struct stream next = ring->out;

		ring->more_out = next_segment(allgather, &next, wire->size - 2, &at, &length);
		if (!ring->more_out || next.passed > ring->own + ring->receive.ended)
			break;
		ring->out = next;
		sent_add(allgather->channel,
			 ring->out.hop == 0 ? CAPE_SENT_OWN : CAPE_SENT_FORWARDED,
			 window_send(wire, &ring->send, at, length, right, WIRE_TAG_RING));
	}
	return window_reap(wire, &ring->send);
}

static int exchange_large(struct allgather *allgather)
{
	struct wire *wire = allgather->wire;
	struct ring ring = {.in.hop = 1, .more_in = true, .more_out = true};
	struct patience patience = {0};

	if (wire->packs) {
		ring.receive.room = allgather->room;
		ring.send.room = allgather->room + WINDOW_ROOM;
	}
	if (is_large(allgather, wire->rank))
		ring.own = window_segments(allgather->small[wire->rank].size);
	while (ring.more_in || ring.more_out || !window_is_empty(&ring.receive) ||
	       !window_is_empty(&ring.send)) {
		uint64_t before = ring.receive.ended + ring.send.ended;
		int error = begin_receives(allgather, &ring);

		if (!error)
			error = begin_sends(allgather, &ring);
		if (error)
			return error;
		if (ring.receive.ended + ring.send.ended != before) {
			patience = (struct patience){0};
			continue;
		}
		error = loop_pause(wire->loop, &patience);
		if (error)
			return error;
	}
	return 0;
}

/* Where the large ones go in the in area: after the small ones. */
static int place_large(struct allgather *allgather, uint64_t *used, bool *any)
{
	*any = false;
	for (int which = 0; which < allgather->wire->size; which++) {
		uint64_t size = allgather->small[which].size;

		if (!is_large(allgather, which))
			continue;
		*any = true;
		if (which == allgather->wire->rank)
			continue;
		if (size > CAPE_CHANNEL_LIMIT - *used)
			return -ENOMEM;
		allgather->channel->in[which].offset = *used;
		*used += padded(size);
	}
	return 0;
}

int allgather_exchange(struct allgather *allgather, const struct allgather_note *note,
		       struct allgather_note *notes, uint64_t *used)
{
	bool large;
	int error;

	*used = 0;
	memset(allgather->small, 0, (size_t)allgather->wire->size * sizeof(struct small));
	error = exchange_small(allgather, note, used);
	if (!error)
		error = place_large(allgather, used, &large);
	if (!error && large)
		error = exchange_large(allgather);
	for (int which = 0; which < allgather->wire->size; which++)
		notes[which] = allgather->small[which].note;
	return error;
}
