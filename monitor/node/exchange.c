// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * exchange.c - moves the programs' messages, and has what was printed before come along: each node
 * says how much it has sent to node 0's monitor, which waits until that is there.
 */
#include "exchange.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "kept.h"
#include "stream/output.h"
#include "wire/allgather.h"
#include "wire/distribute.h"
#include "wire/push.h"

struct exchange {
	struct allgather *allgather;
	struct push *push;
	/* By node. */
	struct allgather_note *notes;
	uint64_t *printed; /* bytes of output sent before, when all goes to the master */
};

int exchange_start(struct node *node)
{
	struct exchange *exchange = calloc(1, sizeof(*exchange));

	if (!exchange)
		return -ENOMEM;
	node->exchange = exchange;
	exchange->printed = calloc((size_t)node->size, sizeof(*exchange->printed));
	exchange->notes = calloc((size_t)node->size, sizeof(*exchange->notes));
	exchange->allgather = allgather_start(node->wire, node->channel);
	exchange->push = push_start(node->wire, node->channel);
	if (exchange->notes && exchange->printed && exchange->allgather && exchange->push)
		return 0;
	exchange_stop(node);
	return -ENOMEM;
}

void exchange_stop(struct node *node)
{
	struct exchange *exchange = node->exchange;

	if (exchange->allgather)
		allgather_stop(exchange->allgather);
	if (exchange->push)
		push_stop(exchange->push);
	free(exchange->notes);
	free(exchange->printed);
	free(exchange);
	node->exchange = NULL;
}

/* NOTE says to whom the program pushes something with the exchange; whether there is anybody. */
static bool note_pushes(const struct node *node, struct allgather_note *note)
{
	bool any = false;

	for (int i = 0; i < node->size && node->channel->pushes; i++)
		if (cape_channel_push(node->channel, (uint32_t)i)->size) {
			note->pushes[i / 64] |= 1ull << i % 64;
			any = true;
		}
	return any;
}

/* What nodes push to each other with the exchange, which also says who does. */
static int end_pushes(struct node *node, bool any)
{
	const struct exchange *exchange = node->exchange;

	if (!node->channel->pushes)
		return 0;
	for (int i = 0; i < node->size; i++) {
		uint64_t here = exchange->notes[i].pushes[node->rank / 64] >> node->rank % 64 & 1;

		*cape_channel_pushed(node->channel, (uint32_t)i) =
			(struct cape_channel_message){.size = here};
		any |= here;
	}
	return any ? push_end(exchange->push, &node->channel->in_used) : 0;
}

static int all_to_all(struct node *node)
{
	struct exchange *exchange = node->exchange;
	struct allgather_note note = {.printed = node->output_sent};
	bool pushes = note_pushes(node, &note);
	int error = 0;

	node->exchanges++;
	node->exchanging = true;
	/* All that was taken goes along; what is taken from here on does not. */
	node->channel->board.shown = node->channel->board.printed;
	if (pushes)
		error = push_begin(exchange->push);
	if (!error)
		error = allgather_exchange(exchange->allgather, &note, exchange->notes,
					   &node->channel->in_used);
	if (!error)
		error = end_pushes(node, pushes);
	for (int which = 0; !error && node->rank == 0 && which < node->size; which++)
		error = output_await(node, which, exchange->notes[which].printed);
	node->exchanging = false;
	return error;
}

static int gather(struct node *node)
{
	struct exchange *exchange = node->exchange;
	int error =
		distribute_gather(node->wire, node->channel, node->output_sent, exchange->printed);

	for (int which = 1; !error && node->rank == 0 && which < node->size; which++)
		error = output_await(node, which, exchange->printed[which]);
	return error;
}

static int move(struct node *node, enum cape_channel_request request)
{
	switch (request) {
	case CAPE_REQUEST_EXCHANGE:
		return all_to_all(node);
	case CAPE_REQUEST_GATHER:
		return gather(node);
	case CAPE_REQUEST_BROADCAST:
		return distribute_broadcast(node->wire, node->channel);
	case CAPE_REQUEST_SCATTER:
		return distribute_scatter(node->wire, node->channel);
	default:
		return -EINVAL;
	}
}

static void end(struct node *node, int error)
{
	if (error && error != -ECANCELED)
		node_fail(node, 1, "node %d: exchange at %s:%d: %s", node->rank,
			  node->channel->state.file, node->channel->state.line, strerror(-error));
	if (!error)
		cape_channel_reply(node->channel);
}

void exchange_serve(struct node *node, enum cape_channel_request request)
{
	int error;

	if (node->rank > 0)
		output_drain(node);
	if (request == CAPE_REQUEST_EXCHANGE || request == CAPE_REQUEST_GATHER)
		kept_add(node);
	node->moves++;
	node->moving = true;
	error = move(node, request);
	node->moving = false;
	end(node, error);
}

void exchange_push(struct node *node)
{
	end(node, push_exchange(node->exchange->push, &node->channel->in_used));
}
