// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * distribute.c - gather, broadcast and scatter, each as a size and then the bytes.
 */
#include "distribute.h"

#include <errno.h>
#include <stdlib.h>
#include "areas.h"
#include "collective.h"
#include "sent.h"

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

/* The master: where everybody's bytes go, one after the other. */
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
	sent_add(channel, CAPE_SENT_OWN, sizeof(own) + own.size);
	error = wire_wait(wire, request, count + 1);
	free(request);
	return error;
}

int distribute_broadcast(struct wire *wire, struct cape_channel *channel)
{
	uint64_t *sent =
		&channel->statistics.sent[wire->rank == 0 ? CAPE_SENT_OWN : CAPE_SENT_FORWARDED];
	uint64_t size = channel->out_size;
	int error = collective_broadcast(wire, &size, sizeof(size), sent);

	if (error)
		return error;
	if (size > CAPE_CHANNEL_LIMIT)
		return -EPROTO;
	if (wire->rank > 0)
		channel->in[0] = (struct cape_channel_message){.offset = 0, .size = size};
	return collective_broadcast(wire, wire->rank == 0 ? areas_out(channel) : areas_in(channel),
				    size, sent);
}

/* Whether PART, by node, lies in the out area. */
static bool are_parts(const struct cape_channel_message *part, int count)
{
	for (int which = 1; which < count; which++)
		if (part[which].size > WIRE_MESSAGE_LIMIT ||
		    part[which].offset > CAPE_CHANNEL_LIMIT - part[which].size)
			return false;
	return true;
}

static int scatter_from_here(struct wire *wire, struct cape_channel *channel)
{
	const struct cape_channel_message *part = (struct cape_channel_message *)areas_out(channel);
	struct wire_request *request;
	int error;

	if (!are_parts(part, wire->size))
		return -EINVAL;
	request = calloc((size_t)wire->size, sizeof(*request));
	if (!request)
		return -ENOMEM;
	for (int which = 1; which < wire->size; which++) {
		if (!part[which].size)
			continue;
		wire_send(wire, areas_out(channel) + part[which].offset, part[which].size, which,
			  WIRE_TAG_SCATTER, &request[which]);
		sent_add(channel, CAPE_SENT_OWN, part[which].size);
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
