/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * transport.c - the all-gather of a sync point: recursive doubling for what is small, a pipelined
 * ring for what is large; for any number of nodes.
 *
 * Checkpoints are not merged on their way: each node merges all of them at once while it writes
 * them to memory, where the base is at hand that tells which bytes of a word changed.
 */
#include "transport.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "life.h"
#include "output.h"
#include "patience.h"

/* Up to this size a node's message rides along with the sizes of all. */
#define SMALL_LIMIT 16384
/* Two-way traffic with one peer over TCP runs half-duplex unless it is cut up (DESIGN 7). */
#define SEGMENT 32768
#define WINDOW	16

/* What all nodes are told of one node's message; the message follows if it is small. */
struct small {
	uint32_t node;
	uint32_t carried; /* bytes that follow, padded to 8 */
	uint64_t size;
	uint64_t output_sent;
};

struct transport {
	unsigned char *sending;
	unsigned char *receiving;
	size_t buffer_size;
	struct small *small; /* by node */
};

static unsigned char *in_area(const struct node *node)
{
	return (unsigned char *)node->channel + CAPE_CHANNEL_IN;
}

static unsigned char *message_of(const struct node *node, int which)
{
	if (which == node->rank)
		return (unsigned char *)node->channel + CAPE_CHANNEL_OUT;
	return in_area(node) + node->channel->in[which].offset;
}

int transport_start(struct node *node)
{
	struct transport *transport = calloc(1, sizeof(*transport));

	if (!transport)
		return -ENOMEM;
	node->transport = transport;
	transport->buffer_size = (size_t)node->size * (sizeof(struct small) + SMALL_LIMIT);
	transport->sending = malloc(transport->buffer_size);
	transport->receiving = malloc(transport->buffer_size);
	transport->small = calloc((size_t)node->size, sizeof(*transport->small));
	if (!transport->sending || !transport->receiving || !transport->small)
		return -ENOMEM;
	return 0;
}

void transport_stop(struct node *node)
{
	free(node->transport->sending);
	free(node->transport->receiving);
	free(node->transport->small);
	free(node->transport);
}

static uint64_t padded(uint64_t size)
{
	return (size + 7) & ~7ull;
}

/*
 * Small messages are stored one behind the other in the order in which they arrive; USED is how
 * much of the in area that took.
 */
static int take_small(struct node *node, const unsigned char *from, size_t size, uint64_t *used)
{
	while (size) {
		struct small small;

		if (size < sizeof(small))
			return -EPROTO;
		memcpy(&small, from, sizeof(small));
		from += sizeof(small);
		size -= sizeof(small);
		if (small.node >= (uint32_t)node->size || small.carried > size ||
		    (small.carried && small.carried != padded(small.size)))
			return -EPROTO;
		node->transport->small[small.node] = small;
		node->channel->in[small.node].offset = *used;
		node->channel->in[small.node].size = small.size;
		memcpy(in_area(node) + *used, from, small.carried);
		*used += small.carried;
		from += small.carried;
		size -= small.carried;
	}
	return 0;
}

static size_t put_small(const struct node *node, int which, unsigned char *to)
{
	const struct small *small = &node->transport->small[which];

	memcpy(to, small, sizeof(*small));
	memcpy(to + sizeof(*small), message_of(node, which), small->carried);
	return sizeof(*small) + small->carried;
}

/* One step: what nodes rank .. rank + count - 1 said goes down, the next COUNT come from above. */
static int small_step(struct node *node, int distance, int count, uint64_t *used)
{
	struct transport *transport = node->transport;
	int below = (node->rank - distance + node->size) % node->size;
	int above = (node->rank + distance) % node->size;
	MPI_Request request[2];
	MPI_Status status[2];
	size_t size = 0;
	int got, error;

	for (int i = 0; i < count; i++) {
		size_t put =
			put_small(node, (node->rank + i) % node->size, transport->sending + size);

		node_sent(node, i == 0 ? CAPE_SENT_OWN : CAPE_SENT_FORWARDED, put);
		size += put;
	}
	MPI_Irecv(transport->receiving, (int)transport->buffer_size, MPI_BYTE, above,
		  NODE_TAG_SMALL, node->data, &request[0]);
	MPI_Isend(transport->sending, (int)size, MPI_BYTE, below, NODE_TAG_SMALL, node->data,
		  &request[1]);
	error = patience_wait_all(node, request, 2, status);
	if (error)
		return error;
	MPI_Get_count(&status[0], MPI_BYTE, &got);
	return take_small(node, transport->receiving, (size_t)got, used);
}

/* Recursive doubling that any number of nodes can take part in: ceil(log2(nodes)) steps. */
static int exchange_small(struct node *node, uint64_t *used)
{
	uint64_t size = node->channel->out_size;

	node->transport->small[node->rank] = (struct small){
		.node = (uint32_t)node->rank,
		.carried = size <= SMALL_LIMIT - 8 ? (uint32_t)padded(size) : 0,
		.size = size,
		.output_sent = node->output_sent,
	};
	for (int distance = 1; distance < node->size; distance *= 2) {
		int count = distance < node->size - distance ? distance : node->size - distance;
		int error = small_step(node, distance, count, used);

		if (error)
			return error;
	}
	return 0;
}

/* The large messages as one stream of segments in the order in which they pass this node. */
struct stream {
	int hop;       /* how far upstream the message's node is */
	uint64_t done; /* of this message */
	uint64_t segments;
};

static int origin(const struct node *node, int hop)
{
	return (node->rank - hop + node->size) % node->size;
}

static bool is_large(const struct node *node, int which)
{
	return !node->transport->small[which].carried && node->transport->small[which].size;
}

/* The next segment of the stream from hop FIRST to hop LAST; false at its end. */
static bool next_segment(const struct node *node, struct stream *stream, int last,
			 unsigned char **at, int *length)
{
	for (; stream->hop <= last; stream->hop++, stream->done = 0) {
		int which = origin(node, stream->hop);
		uint64_t size = node->transport->small[which].size;

		if (!is_large(node, which) || stream->done == size)
			continue;
		*at = message_of(node, which) + stream->done;
		*length = (int)(size - stream->done < SEGMENT ? size - stream->done : SEGMENT);
		stream->done += (uint64_t)*length;
		stream->segments++;
		return true;
	}
	return false;
}

static uint64_t own_segments(const struct node *node)
{
	if (!is_large(node, node->rank))
		return 0;
	return (node->transport->small[node->rank].size + SEGMENT - 1) / SEGMENT;
}

/* Requests in flight, oldest first. */
struct window {
	MPI_Request request[WINDOW];
	uint64_t begun, ended;
};

static bool window_full(const struct window *window)
{
	return window->begun - window->ended == WINDOW;
}

static void window_reap(struct window *window)
{
	while (window->ended < window->begun) {
		int done = 0;

		MPI_Test(&window->request[window->ended % WINDOW], &done, MPI_STATUS_IGNORE);
		if (!done)
			return;
		window->ended++;
	}
}

/* A segment is passed on as soon as it is here; the node downstream of its origin keeps it. */
static int exchange_large(struct node *node)
{
	int left = (node->rank - 1 + node->size) % node->size;
	int right = (node->rank + 1) % node->size;
	struct stream in = {.hop = 1}, out = {.hop = 0};
	struct window receive = {.begun = 0}, send = {.begun = 0};
	uint64_t own = own_segments(node);
	bool more_in = true, more_out = true;
	struct patience patience = {0};
	unsigned char *at;
	int length;

	while (more_in || more_out || receive.ended < receive.begun || send.ended < send.begun) {
		uint64_t before = receive.ended + send.ended;

		while (more_in && !window_full(&receive)) {
			more_in = next_segment(node, &in, node->size - 1, &at, &length);
			if (more_in)
				MPI_Irecv(at, length, MPI_BYTE, left, NODE_TAG_RING, node->data,
					  &receive.request[receive.begun++ % WINDOW]);
		}
		while (more_out && !window_full(&send) &&
		       (out.segments < own + receive.ended || !more_in)) {
			struct stream next = out;

			if (!next_segment(node, &next, node->size - 2, &at, &length)) {
				more_out = false;
				break;
			}
			if (next.segments > own + receive.ended)
				break;
			out = next;
			MPI_Isend(at, length, MPI_BYTE, right, NODE_TAG_RING, node->data,
				  &send.request[send.begun++ % WINDOW]);
			node_sent(node, out.hop == 0 ? CAPE_SENT_OWN : CAPE_SENT_FORWARDED,
				  (uint64_t)length);
		}
		window_reap(&receive);
		window_reap(&send);
		if (receive.ended + send.ended != before)
			patience_reset(&patience);
		else if (patience_pass(node, &patience))
			return -ECANCELED;
	}
	return 0;
}

/* Where the large ones go in the in area: behind the small ones. */
static int place_large(struct node *node, uint64_t used, bool *any)
{
	*any = false;
	for (int which = 0; which < node->size; which++) {
		uint64_t size = node->transport->small[which].size;

		if (!is_large(node, which))
			continue;
		*any = true;
		if (which == node->rank)
			continue;
		if (size > CAPE_CHANNEL_LIMIT - used)
			return -ENOMEM;
		node->channel->in[which].offset = used;
		used += padded(size);
	}
	return 0;
}

static int exchange(struct node *node)
{
	uint64_t used = 0;
	bool large;
	int error;

	memset(node->transport->small, 0, (size_t)node->size * sizeof(struct small));
	error = exchange_small(node, &used);
	if (!error)
		error = place_large(node, used, &large);
	if (!error && large)
		error = exchange_large(node);
	for (int which = 0; !error && node->rank == 0 && which < node->size; which++)
		error = output_await(node, which, node->transport->small[which].output_sent);
	return error;
}

int transport_exchange(struct node *node)
{
	int error;

	node->exchanges++;
	node->exchanging = true;
	error = exchange(node);
	node->exchanging = false;
	return error;
}
