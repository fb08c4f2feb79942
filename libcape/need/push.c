// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * push.c - what a node changed of its pages, to those who hold them: for each of them a run table
 * and the runs' bytes, from one node to another.
 */
#include <string.h>
#include "message/exchange.h"
#include "need/parts.h"

/* What is pushed to a node. */
struct pushed {
	uint64_t table_size;
	uint64_t data_size;
	unsigned char table[]; /* padded; then the bytes */
};

/* Lists what is for NODE. */
static const struct cape_runs *part_of(struct cape_runtime *runtime, unsigned node)
{
	struct cape_need *need = runtime->need;

	cape_need_runs_clear(runtime, &need->part);
	for (size_t i = 0; i < need->pieces; i++)
		if (need->piece[i].destinations >> node & 1)
			cape_need_runs_add(runtime, &need->part, need->piece[i].address,
					   need->piece[i].length);
	return &need->part.runs;
}

/* Writes the part of NODE to AT; returns where it ends. */
static unsigned char *put_part(struct cape_runtime *runtime, unsigned node, unsigned char *at)
{
	const struct cape_runs *runs = part_of(runtime, node);
	struct pushed *pushed = (struct pushed *)at;
	unsigned char *end = (unsigned char *)runtime->channel + CAPE_CHANNEL_LIMIT;

	if (!runs->count)
		return at;
	if (cape_wire_bound(runs) + runs->bytes + sizeof(*pushed) > (uint64_t)(end - at))
		cape_fail(runtime, 0, "a checkpoint of %llu bytes is more than CAPE can send",
			  (unsigned long long)runs->bytes);
	pushed->table_size = cape_wire_put(runs, pushed->table);
	pushed->data_size = runs->bytes;
	at = pushed->table + cape_message_padded(pushed->table_size);
	for (size_t i = 0; i < runs->count; i++) {
		memcpy(at, (const void *)(uintptr_t)runs->run[i].address, runs->run[i].length);
		at += runs->run[i].length;
	}
	return (unsigned char *)pushed +
	       cape_message_padded((uint64_t)(at - (unsigned char *)pushed));
}

void cape_need_push(struct cape_runtime *runtime, uint64_t from)
{
	struct cape_channel *channel = runtime->channel;
	unsigned char *out = (unsigned char *)channel + CAPE_CHANNEL_OUT;
	uint64_t used = cape_message_padded(channel->out_size);
	struct cape_channel_message own;
	bool any = from & ~runtime->directory->self;

	for (unsigned node = 0; node < runtime->nodes; node++) {
		struct cape_channel_message *push = cape_channel_push(channel, node);
		unsigned char *end = out + used;

		if (runtime->need->pieces)
			end = put_part(runtime, node, out + used);
		*push = (struct cape_channel_message){used, (uint64_t)(end - out) - used};
		*cape_channel_pushed(channel, node) = (struct cape_channel_message){
			.size = node != runtime->node && (from >> node & 1)};
		used += push->size;
		any |= push->size && node != runtime->node;
	}
	if (!any)
		return;
	/* This node's own part stays where it is, for its own merge. */
	own = *cape_channel_push(channel, runtime->node);
	cape_channel_push(channel, runtime->node)->size = 0;
	cape_channel_request(channel, CAPE_REQUEST_PUSH);
	*cape_channel_pushed(channel, runtime->node) = own;
}

bool cape_need_pushed(struct cape_runtime *runtime, unsigned node, struct cape_cursor *cursor)
{
	const struct cape_channel_message *message = cape_channel_pushed(runtime->channel, node);
	const char *area = (const char *)runtime->channel +
			   (node == runtime->node ? CAPE_CHANNEL_OUT : CAPE_CHANNEL_IN);
	const struct pushed *pushed = (const struct pushed *)(area + message->offset);
	uint64_t left = message->size - sizeof(*pushed), table;

	if (!runtime->directory->on || !message->size)
		return false;
	table = message->size < sizeof(*pushed) ? 0 : cape_message_padded(pushed->table_size);
	if (message->size < sizeof(*pushed) || pushed->table_size > left || table > left ||
	    pushed->data_size > left - table ||
	    cape_cursor_open(cursor, pushed->table, pushed->table_size, pushed->table + table,
			     pushed->data_size) < 0)
		cape_fail(runtime, 0, "what node %u pushed is malformed", node);
	return true;
}
