// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * distribute.c - gather, broadcast and scatter, each as a size and then the bytes.
 *
 * A broadcast goes along a tree while it is small, and along a chain, segment by segment, when it
 * is large: then every node sends all of it once.
 */
#include "distribute.h"

#include <errno.h>
#include <stdlib.h>
#include "areas.h"
#include "window.h"

#define CHILDREN_MAX 16

struct announcement {
	uint64_t size;
	uint64_t note;
};

static uint64_t pieces(uint64_t size)
{
	return (size + WIRE_MESSAGE_LIMIT - 1) / WIRE_MESSAGE_LIMIT;
}

static size_t piece_length(uint64_t size, uint64_t which)
{
	uint64_t left = size - which * WIRE_MESSAGE_LIMIT;

	return left < WIRE_MESSAGE_LIMIT ? left : WIRE_MESSAGE_LIMIT;
}

/* The master: where everybody's bytes go, one behind the other. */
static int place(const struct wire *wire, struct cape_channel *channel,
		 const struct announcement *announced, uint64_t *requests)
{
	uint64_t used = 0;

	*requests = 0;
	for (int which = 1; which < wire->size; which++) {
		uint64_t size = announced[which].size;

		if (size > CAPE_CHANNEL_LIMIT - used)
			return -ENOMEM;
		channel->in[which].offset = used;
		channel->in[which].size = size;
		used += (size + 63) & ~63ull;
		*requests += pieces(size);
	}
	return 0;
}

static int receive_all(struct wire *wire, struct cape_channel *channel,
		       const struct announcement *announced)
{
	struct wire_request *request;
	uint64_t count, posted = 0;
	int error = place(wire, channel, announced, &count);

	if (error)
		return error;
	request = calloc(count + 1, sizeof(*request));
	if (!request)
		return -ENOMEM;
	for (int which = 1; which < wire->size; which++) {
		unsigned char *to = areas_in(channel) + channel->in[which].offset;
		uint64_t size = announced[which].size;

		for (uint64_t i = 0; i < pieces(size); i++)
			wire_receive(wire, to + i * WIRE_MESSAGE_LIMIT, piece_length(size, i),
				     which, WIRE_TAG_GATHER, &request[posted++]);
	}
	error = wire_wait(wire, request, posted);
	free(request);
	return error;
}

static int gather_here(struct wire *wire, struct cape_channel *channel, uint64_t *notes)
{
	struct announcement *announced = calloc((size_t)wire->size, sizeof(*announced));
	struct wire_request *request = calloc((size_t)wire->size, sizeof(*request));
	int error = announced && request ? 0 : -ENOMEM;

	for (int which = 1; which < wire->size && !error; which++)
		wire_receive(wire, &announced[which], sizeof(*announced), which, WIRE_TAG_GATHER,
			     &request[which]);
	if (!error)
		error = wire_wait(wire, request, (size_t)wire->size);
	if (!error)
		error = receive_all(wire, channel, announced);
	for (int which = 1; which < wire->size && !error; which++)
		notes[which] = announced[which].note;
	free(request);
	free(announced);
	return error;
}

int distribute_gather(struct wire *wire, struct cape_channel *channel, uint64_t note,
		      uint64_t *notes)
{
	struct announcement own = {channel->out_size, note};
	struct wire_request *request;
	uint64_t count = pieces(own.size);
	int error;

	if (wire->rank == 0)
		return gather_here(wire, channel, notes);
	request = calloc(count + 1, sizeof(*request));
	if (!request)
		return -ENOMEM;
	wire_send(wire, &own, sizeof(own), 0, WIRE_TAG_GATHER, &request[0]);
	for (uint64_t i = 0; i < count; i++)
		wire_send(wire, areas_out(channel) + i * WIRE_MESSAGE_LIMIT,
			  piece_length(own.size, i), 0, WIRE_TAG_GATHER, &request[1 + i]);
	areas_sent(channel, CAPE_SENT_OWN, sizeof(own) + own.size);
	error = wire_wait(wire, request, count + 1);
	free(request);
	return error;
}

/* Whom this node gets a broadcast from, and to whom it passes it on. */
struct relatives {
	int parent;
	int child[CHILDREN_MAX];
	int children;
};

/* A binomial tree: node N's parent is N without its lowest bit. */
static struct relatives in_tree(const struct wire *wire)
{
	struct relatives relatives = {.parent = wire->rank & (wire->rank - 1)};
	int lowest = wire->rank ? wire->rank & -wire->rank : 1 << CHILDREN_MAX;

	for (int bit = lowest >> 1; bit > 0; bit >>= 1)
		if (wire->rank + bit < wire->size)
			relatives.child[relatives.children++] = wire->rank + bit;
	return relatives;
}

static struct relatives in_chain(const struct wire *wire)
{
	struct relatives relatives = {.parent = wire->rank - 1};

	if (wire->rank + 1 < wire->size)
		relatives.child[relatives.children++] = wire->rank + 1;
	return relatives;
}

/* One message from the parent to the children, each segment as soon as it is here. */
struct transfer {
	struct wire *wire;
	struct cape_channel *channel;
	unsigned char *bytes;
	uint64_t size;
	struct relatives relatives;
	struct window in, out[CHILDREN_MAX];
};

static void begin_receives(struct transfer *transfer)
{
	struct window *in = &transfer->in;

	while (in->begun < window_segments(transfer->size) && !window_is_full(in)) {
		uint64_t segment = in->begun;

		wire_receive(transfer->wire, transfer->bytes + segment * WINDOW_SEGMENT,
			     window_segment_length(transfer->size, segment),
			     transfer->relatives.parent, WIRE_TAG_BROADCAST, window_begin(in));
	}
	window_reap(transfer->wire, in);
}

static void begin_sends(struct transfer *transfer, int which)
{
	struct window *out = &transfer->out[which];
	struct wire *wire = transfer->wire;

	while (out->begun < transfer->in.ended && !window_is_full(out)) {
		uint64_t segment = out->begun;
		size_t length = window_segment_length(transfer->size, segment);

		wire_send(wire, transfer->bytes + segment * WINDOW_SEGMENT, length,
			  transfer->relatives.child[which], WIRE_TAG_BROADCAST, window_begin(out));
		areas_sent(transfer->channel, wire->rank == 0 ? CAPE_SENT_OWN : CAPE_SENT_FORWARDED,
			   length);
	}
	window_reap(wire, out);
}

/* Segments that have come and those that have gone, of all relatives. */
static uint64_t passed(const struct transfer *transfer)
{
	uint64_t count = transfer->in.ended;

	for (int i = 0; i < transfer->relatives.children; i++)
		count += transfer->out[i].ended;
	return count;
}

static int pass_along(struct transfer transfer)
{
	struct wire *wire = transfer.wire;
	uint64_t segments = window_segments(transfer.size);
	uint64_t all = segments * (1 + (uint64_t)transfer.relatives.children);
	struct patience patience = {0};

	if (wire->rank == 0)
		transfer.in.begun = transfer.in.ended = segments;
	for (;;) {
		uint64_t before = passed(&transfer);
		int error;

		begin_receives(&transfer);
		for (int i = 0; i < transfer.relatives.children; i++)
			begin_sends(&transfer, i);
		if (passed(&transfer) == all)
			return 0;
		if (passed(&transfer) != before) {
			patience = (struct patience){0};
			continue;
		}
		error = wire->idle(wire->context, &patience);
		if (error)
			return error;
	}
}

int distribute_broadcast(struct wire *wire, struct cape_channel *channel)
{
	uint64_t size = channel->out_size;
	int error = pass_along((struct transfer){
		.wire = wire,
		.channel = channel,
		.bytes = (unsigned char *)&size,
		.size = sizeof(size),
		.relatives = in_tree(wire),
	});

	if (error)
		return error;
	if (size > CAPE_CHANNEL_LIMIT)
		return -EPROTO;
	if (wire->rank > 0)
		channel->in[0] = (struct cape_channel_message){.offset = 0, .size = size};
	return pass_along((struct transfer){
		.wire = wire,
		.channel = channel,
		.bytes = wire->rank == 0 ? areas_out(channel) : areas_in(channel),
		.size = size,
		.relatives = size > AREAS_SMALL_LIMIT ? in_chain(wire) : in_tree(wire),
	});
}

static int scatter_from_here(struct wire *wire, struct cape_channel *channel)
{
	const struct cape_channel_message *part = (struct cape_channel_message *)areas_out(channel);
	struct wire_request *request = calloc((size_t)wire->size, sizeof(*request));
	int error;

	if (!request)
		return -ENOMEM;
	for (int which = 1; which < wire->size; which++) {
		if (!part[which].size)
			continue;
		wire_send(wire, areas_out(channel) + part[which].offset, part[which].size, which,
			  WIRE_TAG_SCATTER, &request[which]);
		areas_sent(channel, CAPE_SENT_OWN, part[which].size);
	}
	error = wire_wait(wire, request, (size_t)wire->size);
	free(request);
	return error;
}

int distribute_scatter(struct wire *wire, struct cape_channel *channel)
{
	struct wire_request request;
	int error;

	if (wire->rank == 0)
		return scatter_from_here(wire, channel);
	wire_receive(wire, areas_in(channel), WIRE_MESSAGE_LIMIT, 0, WIRE_TAG_SCATTER, &request);
	error = wire_wait(wire, &request, 1);
	if (!error)
		channel->in[0] = (struct cape_channel_message){.offset = 0, .size = request.size};
	return error;
}
