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
#include <string.h>
#include "output.h"
#include "patience.h"

#define SMALL_LIMIT  16384
#define SEGMENT	     32768 /* from 64 KB on Open MPI makes a round trip for each */
#define WINDOW	     16
#define PIECE	     (1 << 29) /* bytes of one MPI message at most */
#define CHILDREN_MAX 16

struct announcement {
	uint64_t size;
	uint64_t output_sent;
};

static unsigned char *out_area(const struct node *node)
{
	return (unsigned char *)node->channel + CAPE_CHANNEL_OUT;
}

static unsigned char *in_area(const struct node *node)
{
	return (unsigned char *)node->channel + CAPE_CHANNEL_IN;
}

static uint64_t pieces(uint64_t size)
{
	return (size + PIECE - 1) / PIECE;
}

static int piece_length(uint64_t size, uint64_t which)
{
	uint64_t left = size - which * PIECE;

	return (int)(left < PIECE ? left : PIECE);
}

/* The master: where everybody's bytes go, one behind the other. */
static int place(struct node *node, const struct announcement *announced, uint64_t *requests)
{
	uint64_t used = 0;

	*requests = 0;
	for (int which = 1; which < node->size; which++) {
		uint64_t size = announced[which].size;

		if (size > CAPE_CHANNEL_LIMIT - used)
			return -ENOMEM;
		node->channel->in[which].offset = used;
		node->channel->in[which].size = size;
		used += (size + 63) & ~63ull;
		*requests += pieces(size);
	}
	return 0;
}

static int receive_all(struct node *node, const struct announcement *announced)
{
	MPI_Request *request;
	uint64_t count, posted = 0;
	int error = place(node, announced, &count);

	if (error)
		return error;
	request = calloc(count + 1, sizeof(MPI_Request));
	if (!request)
		return -ENOMEM;
	for (int which = 1; which < node->size; which++) {
		uint64_t size = announced[which].size;

		for (uint64_t i = 0; i < pieces(size); i++)
			MPI_Irecv(in_area(node) + node->channel->in[which].offset + i * PIECE,
				  piece_length(size, i), MPI_BYTE, which, NODE_TAG_GATHER,
				  node->data, &request[posted++]);
	}
	error = patience_wait_all(node, request, (int)posted, MPI_STATUSES_IGNORE);
	free(request);
	return error;
}

static int gather_here(struct node *node)
{
	struct announcement *announced = calloc((size_t)node->size, sizeof(*announced));
	MPI_Request *request = calloc((size_t)node->size, sizeof(MPI_Request));
	int error = announced && request ? 0 : -ENOMEM;

	for (int which = 1; which < node->size && !error; which++)
		MPI_Irecv(&announced[which], sizeof(*announced), MPI_BYTE, which, NODE_TAG_GATHER,
			  node->data, &request[which - 1]);
	if (!error)
		error = patience_wait_all(node, request, node->size - 1, MPI_STATUSES_IGNORE);
	if (!error)
		error = receive_all(node, announced);
	for (int which = 1; which < node->size && !error; which++)
		error = output_await(node, which, announced[which].output_sent);
	free(request);
	free(announced);
	return error;
}

int distribute_gather(struct node *node)
{
	struct announcement own = {node->channel->out_size, node->output_sent};
	MPI_Request *request;
	uint64_t count = pieces(own.size);
	int error;

	if (node->rank == 0)
		return gather_here(node);
	request = calloc(count + 1, sizeof(MPI_Request));
	if (!request)
		return -ENOMEM;
	MPI_Isend(&own, sizeof(own), MPI_BYTE, 0, NODE_TAG_GATHER, node->data, &request[0]);
	for (uint64_t i = 0; i < count; i++)
		MPI_Isend(out_area(node) + i * PIECE, piece_length(own.size, i), MPI_BYTE, 0,
			  NODE_TAG_GATHER, node->data, &request[1 + i]);
	node_sent(node, CAPE_SENT_OWN, sizeof(own) + own.size);
	error = patience_wait_all(node, request, (int)(count + 1), MPI_STATUSES_IGNORE);
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
static struct relatives in_tree(const struct node *node)
{
	struct relatives relatives = {.parent = node->rank & (node->rank - 1)};
	int lowest = node->rank ? node->rank & -node->rank : 1 << CHILDREN_MAX;

	for (int bit = lowest >> 1; bit > 0; bit >>= 1)
		if (node->rank + bit < node->size)
			relatives.child[relatives.children++] = node->rank + bit;
	return relatives;
}

static struct relatives in_chain(const struct node *node)
{
	struct relatives relatives = {.parent = node->rank - 1};

	if (node->rank + 1 < node->size)
		relatives.child[relatives.children++] = node->rank + 1;
	return relatives;
}

/* The segments of one stream, from or to one node. */
struct stream {
	MPI_Request request[WINDOW];
	uint64_t begun, ended;
};

static void reap(struct stream *stream)
{
	int done = 1;

	while (done && stream->ended < stream->begun) {
		MPI_Test(&stream->request[stream->ended % WINDOW], &done, MPI_STATUS_IGNORE);
		stream->ended += done != 0;
	}
}

struct transfer {
	struct node *node;
	unsigned char *bytes;
	uint64_t size, segments;
	struct relatives relatives;
	struct stream in, out[CHILDREN_MAX];
};

static int segment_length(const struct transfer *transfer, uint64_t which)
{
	uint64_t left = transfer->size - which * SEGMENT;

	return (int)(left < SEGMENT ? left : SEGMENT);
}

static void begin_receives(struct transfer *transfer)
{
	struct stream *in = &transfer->in;

	for (; in->begun < transfer->segments && in->begun - in->ended < WINDOW; in->begun++)
		MPI_Irecv(transfer->bytes + in->begun * SEGMENT,
			  segment_length(transfer, in->begun), MPI_BYTE, transfer->relatives.parent,
			  NODE_TAG_BROADCAST, transfer->node->data,
			  &in->request[in->begun % WINDOW]);
	reap(in);
}

/* Passes on what is here. */
static void begin_sends(struct transfer *transfer, int which)
{
	struct stream *out = &transfer->out[which];
	struct node *node = transfer->node;

	for (; out->begun < transfer->in.ended && out->begun - out->ended < WINDOW; out->begun++) {
		int length = segment_length(transfer, out->begun);

		MPI_Isend(transfer->bytes + out->begun * SEGMENT, length, MPI_BYTE,
			  transfer->relatives.child[which], NODE_TAG_BROADCAST, node->data,
			  &out->request[out->begun % WINDOW]);
		node_sent(node, node->rank == 0 ? CAPE_SENT_OWN : CAPE_SENT_FORWARDED,
			  (uint64_t)length);
	}
	reap(out);
}

static int pass_along(struct transfer *transfer)
{
	struct patience patience = {0};

	transfer->segments = (transfer->size + SEGMENT - 1) / SEGMENT;
	transfer->in.begun = transfer->in.ended = 0;
	if (transfer->node->rank == 0)
		transfer->in.begun = transfer->in.ended = transfer->segments;
	memset(transfer->out, 0, sizeof(transfer->out));
	for (;;) {
		uint64_t before = transfer->in.ended, after, least = transfer->segments;

		begin_receives(transfer);
		after = transfer->in.ended;
		for (int i = 0; i < transfer->relatives.children; i++) {
			before += transfer->out[i].ended;
			begin_sends(transfer, i);
			after += transfer->out[i].ended;
			if (transfer->out[i].ended < least)
				least = transfer->out[i].ended;
		}
		if (transfer->in.ended == transfer->segments && least == transfer->segments)
			return 0;
		if (after != before)
			patience_reset(&patience);
		else if (patience_pass(transfer->node, &patience))
			return -ECANCELED;
	}
}

int distribute_broadcast(struct node *node)
{
	uint64_t size = node->channel->out_size;
	struct transfer transfer = {
		.node = node,
		.bytes = (unsigned char *)&size,
		.size = sizeof(size),
		.relatives = in_tree(node),
	};
	int error = pass_along(&transfer);

	if (error)
		return error;
	if (size > CAPE_CHANNEL_LIMIT)
		return -EPROTO;
	transfer.size = size;
	transfer.bytes = node->rank == 0 ? out_area(node) : in_area(node);
	if (size > SMALL_LIMIT)
		transfer.relatives = in_chain(node);
	if (node->rank > 0)
		node->channel->in[0] = (struct cape_channel_message){.offset = 0, .size = size};
	return pass_along(&transfer);
}

static int scatter_from_here(struct node *node)
{
	const struct cape_channel_message *part = (struct cape_channel_message *)out_area(node);
	MPI_Request *request = calloc((size_t)node->size + 1, sizeof(MPI_Request));
	int count = 0, error;

	if (!request)
		return -ENOMEM;
	for (int which = 1; which < node->size; which++) {
		if (!part[which].size)
			continue;
		MPI_Isend(out_area(node) + part[which].offset, (int)part[which].size, MPI_BYTE,
			  which, NODE_TAG_SCATTER, node->data, &request[count++]);
		node_sent(node, CAPE_SENT_OWN, part[which].size);
	}
	error = patience_wait_all(node, request, count, MPI_STATUSES_IGNORE);
	free(request);
	return error;
}

int distribute_scatter(struct node *node)
{
	MPI_Request request;
	MPI_Status status;
	int error, size;

	if (node->rank == 0)
		return scatter_from_here(node);
	MPI_Irecv(in_area(node), PIECE, MPI_BYTE, 0, NODE_TAG_SCATTER, node->data, &request);
	error = patience_wait_all(node, &request, 1, &status);
	if (error)
		return error;
	MPI_Get_count(&status, MPI_BYTE, &size);
	node->channel->in[0] = (struct cape_channel_message){.offset = 0, .size = (uint64_t)size};
	return 0;
}
