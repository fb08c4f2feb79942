// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * collective.c - a broadcast and a gather.
 *
 * A broadcast goes along a tree while it is small, and along a chain, segment by segment, when it
 * is large: then every node sends all of it once.
 */
#include "collective.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/loop.h"
#include "window.h"

#define CHILDREN_MAX 16

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
	unsigned char *bytes;
	uint64_t size;
	struct relatives relatives;
	uint64_t *sent; /* counts bytes, or NULL */
	struct window in, out[CHILDREN_MAX];
};

static void begin_receives(struct transfer *transfer)
{
	struct window *in = &transfer->in;

	while (in->begun < window_segments(transfer->size) && !window_is_full(in)) {
		uint64_t segment = in->begun;

		window_receive(transfer->wire, in, transfer->bytes + segment * WINDOW_SEGMENT,
			       window_segment_length(transfer->size, segment),
			       transfer->relatives.parent, WIRE_TAG_BROADCAST);
	}
	/* What is not packed cannot be malformed. */
	window_reap(transfer->wire, in);
}

static void begin_sends(struct transfer *transfer, int which)
{
	struct window *out = &transfer->out[which];
	struct wire *wire = transfer->wire;

	while (out->begun < transfer->in.ended && !window_is_full(out)) {
		uint64_t segment = out->begun;
		size_t length = window_segment_length(transfer->size, segment);

		window_send(wire, out, transfer->bytes + segment * WINDOW_SEGMENT, length,
			    transfer->relatives.child[which], WIRE_TAG_BROADCAST);
		if (transfer->sent)
			*transfer->sent += length;
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

/* The caller's bytes are its own again. */
static void give_up_receives(struct transfer *transfer)
{
	struct window *in = &transfer->in;

	for (; in->ended < in->begun; in->ended++)
		wire_give_up(transfer->wire, &in->request[in->ended % WINDOW_LIMIT]);
}

static int pass_along(struct transfer transfer)
{
	struct wire *wire = transfer.wire;
	uint64_t segments = window_segments(transfer.size);
	uint64_t all = segments * (1 + (uint64_t)transfer.relatives.children);
	struct patience patience = {0};

	/* The others may never come to it, and wait for something else. */
	if (wire->loop->cancelled)
		return -ECANCELED;
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
		error = loop_pause(wire->loop, &patience);
		if (error) {
			give_up_receives(&transfer);
			return error;
		}
	}
}

int collective_broadcast(struct wire *wire, void *bytes, uint64_t size, uint64_t *sent)
{
	return pass_along((struct transfer){
		.wire = wire,
		.bytes = bytes,
		.size = size,
		.relatives = size > WIRE_SMALL_LIMIT ? in_chain(wire) : in_tree(wire),
		.sent = sent,
	});
}

static int gather_here(struct wire *wire, const void *own, size_t size, unsigned char *all)
{
	struct wire_request *request = calloc((size_t)wire->size, sizeof(*request));
	int error;

	if (!request)
		return -ENOMEM;
	memcpy(all, own, size);
	for (int which = 1; which < wire->size; which++)
		wire_receive(wire, all + (size_t)which * size, size, which, WIRE_TAG_COLLECT,
			     &request[which]);
	error = wire_wait(wire, request, (size_t)wire->size);
	for (int which = 1; error && which < wire->size; which++)
		wire_give_up(wire, &request[which]);
	free(request);
	return error;
}

int collective_gather(struct wire *wire, const void *own, size_t size, void *all)
{
	struct wire_request request;

	if (wire->loop->cancelled)
		return -ECANCELED;
	if (wire->rank == 0)
		return gather_here(wire, own, size, all);
	wire_send(wire, own, size, 0, WIRE_TAG_COLLECT, &request);
	return wire_wait(wire, &request, 1);
}

int collective_gather_to_all(struct wire *wire, const void *own, size_t size, void *all)
{
	int error = collective_gather(wire, own, size, all);

	return error ? error : collective_broadcast(wire, all, (uint64_t)wire->size * size, NULL);
}
