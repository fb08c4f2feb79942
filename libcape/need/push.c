// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * push.c - what a node changed of pages, to some nodes only, from one to another: a run table and
 * the runs' bytes, and exact runs.
 */
#include <string.h>
#include "message/exchange.h"
#include "need/parts.h"

/* What is pushed to a node. */
struct pushed {
	uint64_t table_size;
	uint64_t data_size;
	uint64_t exact_size;
	unsigned char table[]; /* then the bytes, then the exact runs; each padded */
};

/* Lists what is for NODE. */
static const struct cape_runs *part_of(struct cape_runtime *runtime, unsigned node, bool exact)
{
	struct cape_need *need = runtime->need;

	cape_need_runs_clear(runtime, &need->part);
	for (size_t i = 0; i < need->pieces; i++)
		if (need->piece[i].destinations >> node & 1 && need->piece[i].exact == exact)
			cape_need_runs_add(runtime, &need->part.runs, need->piece[i].address,
					   need->piece[i].length);
	return &need->part.runs;
}

static void need_room(struct cape_runtime *runtime, const unsigned char *at, uint64_t size)
{
	if (size > (uint64_t)((unsigned char *)runtime->channel + CAPE_CHANNEL_LIMIT - at))
		cape_fail(runtime, 0, "a checkpoint of %llu bytes is more than CAPE can send",
			  (unsigned long long)size);
}

/* RUNS to AT, behind which the bytes go; returns where they end, padded. */
static unsigned char *put_runs(struct pushed *pushed, const struct cape_runs *runs)
{
	unsigned char *at;

	pushed->table_size = cape_wire_put(runs, pushed->table);
	pushed->data_size = runs->bytes;
	at = pushed->table + cape_message_padded(pushed->table_size);
	for (size_t i = 0; i < runs->count; i++) {
		memcpy(at, (const void *)(uintptr_t)runs->run[i].address, runs->run[i].length);
		at += runs->run[i].length;
	}
	return pushed->table + cape_message_padded((uint64_t)(at - pushed->table));
}

/* Writes the part of NODE to AT; returns where it ends. */
static unsigned char *put_part(struct cape_runtime *runtime, unsigned node, unsigned char *at)
{
	struct pushed *pushed = (struct pushed *)at;
	const struct cape_runs *runs = part_of(runtime, node, false);
	bool any = runs->count;

	need_room(runtime, at, cape_wire_bound(runs) + runs->bytes + sizeof(*pushed) + 16);
	at = put_runs(pushed, runs);
	runs = part_of(runtime, node, true);
	need_room(runtime, at, cape_need_exact_bound(runs));
	pushed->exact_size = (uint64_t)(cape_need_put_exact(runtime, runs, at) - at);
	if (!any && !runs->count)
		return (unsigned char *)pushed;
	return at + cape_message_padded(pushed->exact_size);
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

/* What NODE pushed, or NULL: nothing. */
static const struct pushed *pushed_by(struct cape_runtime *runtime, unsigned node)
{
	const struct cape_channel_message *message = cape_channel_pushed(runtime->channel, node);
	const char *area = (const char *)runtime->channel +
			   (node == runtime->node ? CAPE_CHANNEL_OUT : CAPE_CHANNEL_IN);
	const struct pushed *pushed = (const struct pushed *)(area + message->offset);
	uint64_t left = message->size - sizeof(*pushed), table, data;

	if (!runtime->directory->on || !message->size)
		return NULL;
	if (message->size < sizeof(*pushed) || pushed->table_size > left ||
	    pushed->data_size > left || pushed->exact_size > left)
		cape_fail(runtime, 0, "what node %u pushed is malformed", node);
	table = cape_message_padded(pushed->table_size);
	data = cape_message_padded(pushed->data_size);
	if (table + data + pushed->exact_size > left)
		cape_fail(runtime, 0, "what node %u pushed is malformed", node);
	return pushed;
}

bool cape_need_pushed(struct cape_runtime *runtime, unsigned node, struct cape_cursor *cursor)
{
	const struct pushed *pushed = pushed_by(runtime, node);

	if (pushed && cape_cursor_open(cursor, pushed->table, pushed->table_size,
				       pushed->table + cape_message_padded(pushed->table_size),
				       pushed->data_size) < 0)
		cape_fail(runtime, 0, "what node %u pushed is malformed", node);
	return pushed;
}

const void *cape_need_pushed_exact(struct cape_runtime *runtime, unsigned node, uint64_t *size)
{
	const struct pushed *pushed = pushed_by(runtime, node);

	*size = pushed ? pushed->exact_size : 0;
	return pushed ? pushed->table + cape_message_padded(pushed->table_size) +
				cape_message_padded(pushed->data_size)
		      : NULL;
}
