// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * push.c - what a node changed of pages, to some nodes only, from one to another: a run table and
 * the runs' bytes, and exact runs.
 */
#include <string.h>
#include "message/exchange.h"
#include "message/port.h"
#include "need/parts.h"

/* What is pushed to a node. */
struct pushed {
	uint64_t table_size;
	uint64_t data_size;
	uint64_t exact_size;
	unsigned char table[]; /* then the bytes, then the exact runs; each padded */
};

/* Lists what is for NODE, and not sent. */
static const struct cape_runs *part_of(struct cape_runtime *runtime, unsigned node, bool exact)
{
	struct cape_need *need = runtime->need;

	cape_need_runs_clear(runtime, &need->part);
	for (size_t i = 0; i < need->pieces; i++)
		if (!need->piece[i].sent && need->piece[i].exact == exact &&
		    cape_node_set_has(need->sets, need->piece[i].destinations, node))
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

/* RUNS to AT, after which the bytes go; returns where they end, padded. */
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

/*
 * Writes all nodes' parts after what is in the out area.  *OWN: this node's own, which stays where
 * it is, for its own merge.  Whether there is one for another node.
 */
static bool put_parts(struct cape_runtime *runtime, struct cape_channel_message *own)
{
	unsigned char *out = (unsigned char *)runtime->channel + CAPE_CHANNEL_OUT;
	struct cape_need *need = runtime->need;
	struct cape_node_bits to;
	bool any = false;

	cape_need_destinations(need, &to);
	for (unsigned node = 0; node < runtime->nodes; node++) {
		struct cape_channel_message *push = cape_channel_push(runtime->channel, node);
		unsigned char *start = out + need->parts_end, *end = start;

		if (cape_node_bits_have(&to, node))
			end = put_part(runtime, node, start);
		*push = (struct cape_channel_message){need->parts_end, (uint64_t)(end - start)};
		need->parts_end += push->size;
		any |= push->size && node != runtime->node;
	}
	*own = *cape_channel_push(runtime->channel, runtime->node);
	cape_channel_push(runtime->channel, runtime->node)->size = 0;
	return any;
}

void cape_need_push_early(struct cape_runtime *runtime)
{
	struct cape_need *need = runtime->need;

	need->parts_end = cape_message_padded(runtime->channel->out_size);
	memset(need->came_early, 0, runtime->nodes * sizeof(*need->came_early));
	if (!need->early)
		return;
	/* Whatever this node sends: others may push to it, and its monitor is to take that. */
	put_parts(runtime, &need->came_early[runtime->node]);
	for (size_t i = 0; i < need->pieces; i++)
		need->piece[i].sent = true;
	runtime->channel->pushes = 1;
}

void cape_need_take_early(struct cape_runtime *runtime)
{
	struct cape_channel *channel = runtime->channel;

	for (unsigned node = 0; node < runtime->nodes && channel->pushes; node++)
		if (node != runtime->node)
			runtime->need->came_early[node] = *cape_channel_pushed(channel, node);
	channel->pushes = 0;
}

void cape_need_push(struct cape_runtime *runtime, const struct cape_node_bits *from)
{
	struct cape_channel *channel = runtime->channel;
	struct cape_channel_message own;
	bool any = put_parts(runtime, &own);

	for (unsigned node = 0; node < runtime->nodes; node++) {
		bool does = node != runtime->node && cape_node_bits_have(from, node);

		*cape_channel_pushed(channel, node) = (struct cape_channel_message){.size = does};
		any |= does;
	}
	if (any)
		cape_port(runtime)->push(runtime);
	*cape_channel_pushed(channel, runtime->node) = own;
}

/* What NODE pushed, or NULL: nothing. */
static const struct pushed *pushed_by(struct cape_runtime *runtime, unsigned node, bool early)
{
	const char *area = (const char *)runtime->channel +
			   (node == runtime->node ? CAPE_CHANNEL_OUT : CAPE_CHANNEL_IN);
	const struct cape_channel_message *message;
	const struct pushed *pushed;
	uint64_t left, table, data;

	message = early ? &runtime->need->came_early[node]
			: cape_channel_pushed(runtime->channel, node);
	if (!message->size)
		return NULL;
	pushed = (const struct pushed *)(area + message->offset);
	left = message->size - sizeof(*pushed);
	if (message->size < sizeof(*pushed) || pushed->table_size > left ||
	    pushed->data_size > left || pushed->exact_size > left)
		cape_fail(runtime, 0, "what node %u pushed is malformed", node);
	table = cape_message_padded(pushed->table_size);
	data = cape_message_padded(pushed->data_size);
	if (table + data + pushed->exact_size > left)
		cape_fail(runtime, 0, "what node %u pushed is malformed", node);
	return pushed;
}

bool cape_need_pushed(struct cape_runtime *runtime, unsigned node, bool early,
		      struct cape_cursor *cursor)
{
	const struct pushed *pushed = pushed_by(runtime, node, early);

	if (pushed && cape_cursor_open(cursor, pushed->table, pushed->table_size,
				       pushed->table + cape_message_padded(pushed->table_size),
				       pushed->data_size) < 0)
		cape_fail(runtime, 0, "what node %u pushed is malformed", node);
	return pushed;
}

const void *cape_need_pushed_exact(struct cape_runtime *runtime, unsigned node, bool early,
				   uint64_t *size)
{
	const struct pushed *pushed = pushed_by(runtime, node, early);

	*size = pushed ? pushed->exact_size : 0;
	return pushed ? pushed->table + cape_message_padded(pushed->table_size) +
				cape_message_padded(pushed->data_size)
		      : NULL;
}
