/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * output.c - stdout and stderr of all programs, passed on by node 0's monitor.
 *
 * Only there can the order that the program defines be kept: what a node printed before a sync
 * point comes before what any node prints after it.  A node may leave a sync point, and print,
 * while what another one printed before is on its way: so each piece has the number of exchanges
 * that its node had begun, and is put aside while node 0 is in the last of these.
 *
 * Nothing here waits while it holds something:
 * what cannot go on yet is kept, and while much is kept, nothing more is read, so that in the end
 * the programs wait for a reader who is slow.
 */
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "common/clock.h"
#include "relay.h"
#include "wire/sent.h"
#include "wire/wire.h"

#define PIECE 65536
/* Room in the pipe, so that a program that prints much seldom waits for its monitor. */
#define PIPE_SIZE (1 << 20)
#define MOST_KEPT (1 << 18) /* before a program has to wait */
#define IN_FLIGHT 4

#define LAST_NS 1000000000ull

/* To node 0's monitor. */
struct message {
	struct message *next;
	struct wire_request request; /* SENT: on its way */
	bool sent;
	size_t size;
	unsigned char bytes[]; /* a head, and what was printed */
};

struct head {
	uint64_t moves;
	uint8_t stream;
} __attribute__((packed));

/* At node 0's monitor: what may not be passed on yet. */
struct aside {
	struct aside *next;
	int from;
	struct head head;
	size_t size;
	unsigned char bytes[];
};

struct output {
	struct watcher watcher;
	bool watched[2];       /* the pipe's events are awaited */
	struct message *first; /* not received yet, the oldest first */
	struct message **last;
	size_t kept;	    /* bytes in them */
	uint64_t *received; /* by node; node 0's monitor: passed on */
	struct aside *aside, **aside_last;
	unsigned char piece[PIECE + sizeof(struct head)];
};

int output_start(struct node *node)
{
	node->outgoing = calloc(1, sizeof(*node->outgoing));
	if (!node->outgoing)
		return -ENOMEM;
	node->outgoing->last = &node->outgoing->first;
	node->outgoing->aside_last = &node->outgoing->aside;
	for (int i = 0; i < 2; i++) {
		int end[2] = {-1, -1};
		/* One pipe keeps the order in which a program writes to both. */
		bool same = i == 1 && node->options.one_output;

		if (same)
			end[1] = fcntl(node->output[0].write_end, F_DUPFD_CLOEXEC, 0);
		if (same ? end[1] < 0 : pipe2(end, O_CLOEXEC) < 0)
			return -errno;
		node->output[i].read_end = end[0];
		node->output[i].write_end = end[1];
		if (same)
			continue;
		fcntl(end[0], F_SETFL, O_NONBLOCK);
		fcntl(end[0], F_SETPIPE_SZ, PIPE_SIZE);
	}
	return 0;
}

static void watch(struct node *node, int stream, bool on)
{
	struct output *output = node->outgoing;

	if (on != output->watched[stream] &&
	    loop_watch(&node->loop, &output->watcher, node->output[stream].read_end,
		       on ? EPOLLIN : 0) == 0)
		output->watched[stream] = on;
}

static void close_stream(struct node *node, int stream)
{
	if (node->output[stream].read_end < 0)
		return;
	watch(node, stream, false);
	close(node->output[stream].read_end);
	node->output[stream].read_end = -1;
}

static void drop_first(struct output *output)
{
	struct message *message = output->first;

	output->kept -= message->size;
	output->first = message->next;
	if (!output->first)
		output->last = &output->first;
	free(message);
}

void output_stop(struct node *node)
{
	struct aside *aside;

	for (int i = 0; i < 2; i++)
		close_stream(node, i);
	while (node->outgoing->first)
		drop_first(node->outgoing);
	while ((aside = node->outgoing->aside)) {
		node->outgoing->aside = aside->next;
		free(aside);
	}
	free(node->outgoing->received);
	free(node->outgoing);
}

/*
 * Sends what is kept, in order, and forgets what has been received.  Synchronous sends: what
 * node 0's monitor cannot pass on stays here.
 */
static bool send_stored(struct node *node)
{
	struct output *output = node->outgoing;
	bool moved = false;
	int flying = 0;

	while (output->first && output->first->sent &&
	       wire_test(node->wire, &output->first->request)) {
		drop_first(output);
		moved = true;
	}
	for (struct message *at = output->first; at && flying < IN_FLIGHT; at = at->next) {
		flying++;
		if (at->sent)
			continue;
		at->sent = true;
		wire_send_until_taken(node->wire, at->bytes, at->size, 0, WIRE_TAG_OUTPUT,
				      &at->request);
		sent_add(node->channel, CAPE_SENT_OUTPUT, at->size);
	}
	return moved;
}

static void keep(struct node *node, int stream, const unsigned char *bytes, size_t size)
{
	struct output *output = node->outgoing;
	const struct head head = {node->moves, (uint8_t)stream};
	struct message *message = malloc(sizeof(*message) + sizeof(head) + size);

	if (!message) {
		node_fail(node, 1, "node %d: out of memory for the program's output", node->rank);
		return;
	}
	*message = (struct message){.size = sizeof(head) + size};
	memcpy(message->bytes, &head, sizeof(head));
	memcpy(message->bytes + sizeof(head), bytes, size);
	*output->last = message;
	output->last = &message->next;
	output->kept += message->size;
	node->output_sent += size;
}

static bool has_room(const struct node *node)
{
	return node->rank == 0 ? relay_has_room(node) : node->outgoing->kept < MOST_KEPT;
}

/* Reads one piece of at most *LEFT bytes. */
static void take_piece(struct node *node, int stream, int *left)
{
	unsigned char *piece = node->outgoing->piece;
	ssize_t got;

	/* Before it is gone from the pipe (channel/board.h). */
	__atomic_fetch_add(&node->channel->board.printed, 1, __ATOMIC_SEQ_CST);
	got = read(node->output[stream].read_end, piece, *left < PIECE ? (size_t)*left : PIECE);

	if (got <= 0) {
		*left = 0;
		return;
	}
	*left -= (int)got;
	if (node->rank == 0)
		relay_output(node, stream, piece, (size_t)got);
	else
		keep(node, stream, piece, (size_t)got);
}

/*
 * Takes what is in the pipes now, and not what a program writes meanwhile, which may never end.
 * FORCED: even where there is no room.  Whether all was taken.
 */
static bool take_printed(struct node *node, bool forced)
{
	int left[2] = {0, 0};

	for (int i = 0; i < 2; i++)
		if (node->output[i].read_end >= 0)
			ioctl(node->output[i].read_end, FIONREAD, &left[i]);
	while (left[0] > 0 || left[1] > 0) {
		for (int i = 0; i < 2; i++) {
			if (left[i] > 0 && !forced && !has_room(node))
				return false;
			if (left[i] > 0)
				take_piece(node, i, &left[i]);
		}
	}
	return true;
}

void output_drain(struct node *node)
{
	take_printed(node, true);
	send_stored(node);
}

void output_close(struct node *node)
{
	output_drain(node);
	for (int i = 0; i < 2; i++)
		close_stream(node, i);
}

static void pass_on(struct node *node, int from, struct head head, const unsigned char *bytes,
		    size_t size)
{
	relay_output(node, head.stream != 0, bytes, size);
	node->outgoing->received[from] += size;
}

/* Whether others may still have printed something before what has HEAD. */
static bool is_early(const struct node *node, struct head head)
{
	return head.moves > node->moves || (head.moves == node->moves && node->moving);
}

static void put_aside(struct node *node, int from, struct head head, const unsigned char *bytes,
		      size_t size)
{
	struct output *output = node->outgoing;
	struct aside *aside = malloc(sizeof(*aside) + size);

	if (!aside) {
		node_fail(node, 1, "node %d: out of memory for the program's output", from);
		return;
	}
	*aside = (struct aside){.from = from, .head = head, .size = size};
	memcpy(aside->bytes, bytes, size);
	*output->aside_last = aside;
	output->aside_last = &aside->next;
}

/* Passes on what was put aside, as far as the order lets it; false: there is no room for more. */
static bool take_aside(struct node *node, bool forced)
{
	struct output *output = node->outgoing;
	struct aside *first;

	while ((first = output->aside)) {
		if (!forced && (is_early(node, first->head) || !has_room(node)))
			return is_early(node, first->head);
		pass_on(node, first->from, first->head, first->bytes, first->size);
		output->aside = first->next;
		if (!output->aside)
			output->aside_last = &output->aside;
		free(first);
	}
	return true;
}

/* Takes one message of another monitor, if there is one; what this node printed is taken before. */
static bool receive(struct node *node, bool forced)
{
	unsigned char *message = node->outgoing->piece, *bytes = message + sizeof(struct head);
	struct head head;
	size_t got;
	int from;

	if (!take_printed(node, forced) || !take_aside(node, forced) ||
	    !wire_is_here(node->wire, WIRE_TAG_OUTPUT) || !(forced || has_room(node)) ||
	    !wire_take(node->wire, message, sizeof(node->outgoing->piece), WIRE_TAG_OUTPUT, &from,
		       &got))
		return false;
	if (got <= sizeof(head))
		return true;
	memcpy(&head, message, sizeof(head));
	if (is_early(node, head) && !forced)
		put_aside(node, from, head, bytes, got - sizeof(head));
	else
		pass_on(node, from, head, bytes, got - sizeof(head));
	return true;
}

/* Passes on what can be without waiting, of this node's program and of others'. */
static bool look(void *context)
{
	struct node *node = context;
	uint64_t before = node->output_sent;
	bool moved = false, roomy;

	roomy = take_printed(node, false);
	for (int i = 0; i < 2; i++)
		if (node->output[i].read_end >= 0)
			watch(node, i, roomy && has_room(node));
	if (node->rank > 0)
		return send_stored(node) || node->output_sent > before;
	while (receive(node, false))
		moved = true;
	return moved;
}

int output_start_receiving(struct node *node)
{
	struct output *output = node->outgoing;

	output->received = calloc((size_t)node->size, sizeof(*output->received));
	if (!output->received)
		return -ENOMEM;
	output->watcher = (struct watcher){.look = look, .context = node};
	loop_add(&node->loop, &output->watcher);
	for (int i = 0; i < 2; i++)
		if (node->output[i].read_end >= 0)
			watch(node, i, true);
	return 0;
}

bool output_is_here(struct node *node, int which, uint64_t sent)
{
	while (node->outgoing->received[which] < sent)
		if (!receive(node, false))
			return false;
	return true;
}

int output_await(struct node *node, int which, uint64_t sent)
{
	struct patience patience = {0};

	while (!output_is_here(node, which, sent)) {
		if (loop_pause(&node->loop, &patience))
			return -ECANCELED;
	}
	return 0;
}

void output_await_last(struct node *node, int which, uint64_t sent)
{
	uint64_t started = clock_now();

	while (node->outgoing->received[which] < sent && clock_now() - started < LAST_NS)
		if (!receive(node, true))
			usleep(200);
}

bool output_is_flushed(const struct node *node)
{
	return !node->outgoing->first && !node->outgoing->aside;
}
