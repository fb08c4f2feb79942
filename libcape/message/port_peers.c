// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * port_peers.c - the port over connections between programs: what is small goes straight from one
 * program to the other, packed where that pays, all else by the monitors.
 *
 * In an exchange every program sends every other one its message, or says that it is the monitors'
 * this time.  All know alike whether one of them has.
 */
#include "message/port.h"

#include <errno.h>
#include <string.h>
#include "channel/peers.h"
#include "checkpoint/pack.h"
#include "message/message.h"

#define AREA_ALIGNED(at) (((at) + 63) & ~63ull)

/* The note of a frame. */
enum note { NOTE_HERE, NOTE_BY_MONITORS };

/* Before each part of a frame: SIZE bytes, which are packed if they take less. */
struct part_head {
	uint32_t size, takes;
};

struct part {
	struct part_head head;
	const void *bytes;
};

/* A frame that came, as far as it is not taken. */
struct frame {
	unsigned node;
	uint64_t left;
	const unsigned char *at;
};

static const struct cape_port *const monitors = &cape_port_of_monitors;

static unsigned char *area(struct cape_runtime *runtime, uint64_t which)
{
	return (unsigned char *)runtime->channel + which;
}

/* The frame that comes of NODE next, which is to be of KIND. */
static const struct cape_peer_head *await_frame(struct cape_runtime *runtime, unsigned node,
						enum cape_frame kind)
{
	const struct cape_peer_head *head = cape_peers_await(runtime->channel, node);

	for (; head->kind == CAPE_FRAME_HANDED; head = cape_peers_await(runtime->channel, node)) {
		runtime->service->handed(runtime, node, head);
		cape_peers_taken(runtime->channel, node);
	}
	if (head->kind != kind)
		cape_fail(runtime, 0,
			  "nodes %u and %u do not agree on what they send each other, at or after "
			  "%s:%d",
			  runtime->node, node, runtime->channel->state.file,
			  runtime->channel->state.line);
	return head;
}

/* -- parts of frames --------------------------------------------------------------------------- */

/* SIZE bytes as a part; if they become fewer those are at TO, until something comes. */
static struct part pack(struct cape_runtime *runtime, const void *bytes, uint64_t size,
			unsigned char *to)
{
	size_t packed = runtime->channel->peers.packs ? cape_pack(bytes, size, to) : 0;

	if (packed)
		return (struct part){{(uint32_t)size, (uint32_t)packed}, to};
	return (struct part){{(uint32_t)size, (uint32_t)size}, bytes};
}

/* Where there is room for what is packed: WHICH is 0, of a message, or 1, of what is pushed. */
static unsigned char *room_for(struct cape_runtime *runtime, unsigned which)
{
	uint64_t at = AREA_ALIGNED(runtime->channel->in_used);

	return area(runtime, CAPE_CHANNEL_IN) + at + (uint64_t)which * CAPE_PEER_MOST;
}

static void send_parts(struct cape_runtime *runtime, unsigned node, enum cape_frame kind,
		       const struct part *part, unsigned count)
{
	struct cape_peer_piece piece[CAPE_PEER_PIECES];

	for (unsigned i = 0; i < count; i++) {
		piece[2 * i] = (struct cape_peer_piece){&part[i].head, sizeof(part[i].head)};
		piece[2 * i + 1] = (struct cape_peer_piece){part[i].bytes, part[i].head.takes};
	}
	cape_peers_send(runtime->channel, node, kind, NOTE_HERE, piece, 2 * count);
}

/* The next SIZE bytes of FRAME, or NULL. */
static const unsigned char *take(struct frame *frame, uint64_t size)
{
	const unsigned char *at = frame->at;

	if (size > frame->left)
		return NULL;
	frame->at += size;
	frame->left -= size;
	return at;
}

/* 0 or -EPROTO. */
static int take_part(struct frame *frame, struct part *part)
{
	const unsigned char *head = take(frame, sizeof(part->head));

	if (!head)
		return -EPROTO;
	memcpy(&part->head, head, sizeof(part->head));
	part->bytes = take(frame, part->head.takes);
	return part->bytes && part->head.takes <= part->head.size &&
			       part->head.size <= CAPE_PEER_MOST
		       ? 0
		       : -EPROTO;
}

static void __attribute__((noreturn))
refuse(struct cape_runtime *runtime, const struct frame *frame)
{
	cape_fail(runtime, 0, "the message of node %u is malformed", frame->node);
}

/* The next part of FRAME goes to the in area; where it is. */
static struct cape_channel_message keep(struct cape_runtime *runtime, struct frame *frame)
{
	uint64_t at = AREA_ALIGNED(runtime->channel->in_used);
	unsigned char *to = area(runtime, CAPE_CHANNEL_IN) + at;
	struct part part;
	int error = take_part(frame, &part);

	if (!error && part.head.takes == part.head.size)
		memcpy(to, part.bytes, part.head.size);
	else if (!error)
		error = cape_unpack(part.bytes, part.head.takes, to, part.head.size);
	if (error)
		refuse(runtime, frame);
	runtime->channel->in_used = at + part.head.size;
	return (struct cape_channel_message){at, part.head.size};
}

/* -- exchanges --------------------------------------------------------------------------------- */

/* What this node pushes to NODE with the exchange. */
static uint64_t size_of_push(struct cape_runtime *runtime, unsigned node)
{
	return runtime->channel->pushes && node != runtime->node
		       ? cape_channel_push(runtime->channel, node)->size
		       : 0;
}

static const unsigned char *push_to(struct cape_runtime *runtime, unsigned node)
{
	return area(runtime, CAPE_CHANNEL_OUT) + cape_channel_push(runtime->channel, node)->offset;
}

/* In runs that are to try everything, now and then. */
static bool is_left_out(const struct cape_channel *channel)
{
	return channel->flags & CAPE_CHANNEL_STRESS &&
	       (channel->peers.meetings * 7 + channel->node * 5) % 16 == 0;
}

/* Whether this node's part of the exchange is for the monitors. */
static bool is_for_monitors(struct cape_runtime *runtime)
{
	const struct cape_channel *channel = runtime->channel;
	bool large = channel->out_size > CAPE_PEER_MOST;

	for (unsigned node = 0; node < runtime->nodes; node++)
		large |= size_of_push(runtime, node) > CAPE_PEER_MOST;
	return large || is_left_out(channel) || cape_board_has_printed(channel);
}

/* The message, and what is pushed. */
static void send_message(struct cape_runtime *runtime, unsigned node, const struct part *message)
{
	const struct part part[] = {*message,
				    pack(runtime, push_to(runtime, node),
					 size_of_push(runtime, node), room_for(runtime, 1))};

	send_parts(runtime, node, CAPE_FRAME_MEETING, part, 2);
}

static void send_all(struct cape_runtime *runtime, bool by_monitors)
{
	struct cape_channel *channel = runtime->channel;
	struct part message;

	if (!by_monitors)
		message = pack(runtime, area(runtime, CAPE_CHANNEL_OUT), channel->out_size,
			       room_for(runtime, 0));
	for (unsigned i = 1; i < runtime->nodes; i++) {
		unsigned node = (runtime->node + i) % runtime->nodes;

		if (by_monitors)
			cape_peers_send(channel, node, CAPE_FRAME_MEETING, NOTE_BY_MONITORS, NULL,
					0);
		else
			send_message(runtime, node, &message);
	}
}

/* Whether NODE's message is here. */
static bool take_message(struct cape_runtime *runtime, unsigned node)
{
	struct cape_channel *channel = runtime->channel;
	const struct cape_peer_head *head = await_frame(runtime, node, CAPE_FRAME_MEETING);
	struct frame frame = {node, head->size, (const unsigned char *)(head + 1)};
	bool came = head->note == NOTE_HERE;
	struct cape_channel_message pushed;

	if (came) {
		channel->in[node] = keep(runtime, &frame);
		pushed = keep(runtime, &frame);
		if (frame.left)
			refuse(runtime, &frame);
		if (channel->pushes)
			*cape_channel_pushed(channel, node) = pushed;
	}
	cape_peers_taken(channel, node);
	return came;
}

/* Whether all messages are here. */
static bool exchange(struct cape_runtime *runtime)
{
	struct cape_channel *channel = runtime->channel;
	bool here;

	channel->peers.meetings++;
	channel->in_used = 0;
	here = !is_for_monitors(runtime);
	__atomic_store_n(&channel->peers.meets, 1, __ATOMIC_SEQ_CST);
	send_all(runtime, !here);
	for (unsigned i = 1; i < runtime->nodes; i++)
		here &= take_message(runtime, (runtime->node + i) % runtime->nodes);
	__atomic_store_n(&channel->peers.meets, 0, __ATOMIC_SEQ_CST);
	return here;
}

static void meet(struct cape_runtime *runtime)
{
	int saved_errno = errno;

	if (!exchange(runtime))
		monitors->meet(runtime);
	errno = saved_errno;
}

/* -- pushes ------------------------------------------------------------------------------------ */

/* What is small goes now; the rest is left to the monitors. */
static void push_small(struct cape_runtime *runtime)
{
	struct cape_channel *channel = runtime->channel;

	for (unsigned i = 1; i < runtime->nodes; i++) {
		unsigned node = (runtime->node + i) % runtime->nodes;
		struct cape_channel_message *part = cape_channel_push(channel, node);
		struct part packed;

		if (!part->size)
			continue;
		if (part->size > CAPE_PEER_MOST) {
			cape_peers_send(channel, node, CAPE_FRAME_PUSH, NOTE_BY_MONITORS, NULL, 0);
			continue;
		}
		packed = pack(runtime, push_to(runtime, node), part->size, room_for(runtime, 0));
		send_parts(runtime, node, CAPE_FRAME_PUSH, &packed, 1);
		part->size = 0;
	}
}

/* What NODE pushes is here; else the monitors bring it. */
static bool take_push(struct cape_runtime *runtime, unsigned node)
{
	const struct cape_peer_head *head = await_frame(runtime, node, CAPE_FRAME_PUSH);
	struct frame frame = {node, head->size, (const unsigned char *)(head + 1)};
	bool came = head->note == NOTE_HERE;

	if (came)
		*cape_channel_pushed(runtime->channel, node) = keep(runtime, &frame);
	if (came && frame.left)
		refuse(runtime, &frame);
	cape_peers_taken(runtime->channel, node);
	return came;
}

/* The monitors push what is left; what has come stays. */
static void push_large(struct cape_runtime *runtime, const bool *came)
{
	struct cape_channel *channel = runtime->channel;
	struct cape_channel_message here[CAPE_PEERS_NODES];

	for (unsigned node = 0; node < runtime->nodes; node++) {
		here[node] = *cape_channel_pushed(channel, node);
		if (came[node])
			cape_channel_pushed(channel, node)->size = 0;
	}
	monitors->push(runtime);
	for (unsigned node = 0; node < runtime->nodes; node++)
		if (came[node])
			*cape_channel_pushed(channel, node) = here[node];
}

static void push(struct cape_runtime *runtime)
{
	struct cape_channel *channel = runtime->channel;
	bool came[CAPE_PEERS_NODES] = {false}, large = false;
	int saved_errno = errno;

	push_small(runtime);
	for (unsigned i = 1; i < runtime->nodes; i++) {
		unsigned node = (runtime->node + i) % runtime->nodes;

		large |= cape_channel_push(channel, node)->size;
		if (cape_channel_pushed(channel, node)->size) {
			came[node] = take_push(runtime, node);
			large |= !came[node];
		}
	}
	if (large)
		push_large(runtime, came);
	errno = saved_errno;
}

const struct cape_port *cape_port_of_peers(struct cape_runtime *runtime)
{
	struct cape_port *port = &runtime->service->own_port;

	*port = *monitors;
	port->meet = meet;
	port->push = push;
	port->connects = true;
	return port;
}
