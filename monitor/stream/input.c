/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * input.c - standard input of all programs.
 *
 * A file is copied to every node before the program starts, so that programs can seek in it and
 * every read() gives the same everywhere.  A terminal or a pipe is passed on as programs take it:
 * each node says how far it would read, and the furthest is what cape-run is asked for.
 */
#include "input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <unistd.h>
#include "relay.h"
#include "wire/collective.h"
#include "wire/sent.h"

#define PIECE 65536
/* What is asked for beyond what the program's pipe has taken. */
#define WINDOW (1 << 18)

/* Bytes on their way to all other nodes. */
struct piece {
	struct piece *next;
	struct wire_request *request; /* by node, less this one */
	unsigned char bytes[];
};

struct input {
	struct watcher watcher;
	int program_end; /* the program gets a copy of it */
	int pipe;	 /* the end to write to, or -1: a file, or at its end */
	bool watched;	 /* the pipe's events are awaited */
	bool over;	 /* nothing more comes */
	unsigned char *waiting;
	size_t waiting_at, waiting_end, waiting_room;
	uint64_t fed; /* bytes the pipe has taken */

	uint64_t requested;	       /* by this node; at node 0's monitor the highest of all */
	uint64_t reported;	       /* the part of it that was reported */
	struct wire_request reporting; /* REPORTED, on its way to node 0's monitor */
	struct piece *first, **last;   /* the oldest first */
};

int input_start(struct node *node)
{
	struct input *input = calloc(1, sizeof(*input));
	int end[2];

	if (!input)
		return -ENOMEM;
	node->input = input;
	input->pipe = -1;
	input->last = &input->first;
	if (node->options.input_is_file) {
		input->program_end = memfd_create("cape-stdin", MFD_CLOEXEC);
		return input->program_end < 0 ? -errno : 0;
	}
	if (pipe2(end, O_CLOEXEC) < 0)
		return -errno;
	input->program_end = end[0];
	input->pipe = end[1];
	fcntl(end[1], F_SETFL, O_NONBLOCK);
	return 0;
}

int input_of_program(const struct node *node)
{
	if (node->input->pipe >= 0)
		close(node->input->pipe);
	return node->input->program_end;
}

static int write_file(int file, const unsigned char *bytes, size_t size)
{
	while (size) {
		ssize_t put = write(file, bytes, size);

		if (put < 0 && errno != EINTR)
			return -errno;
		if (put > 0) {
			bytes += put;
			size -= (size_t)put;
		}
	}
	return 0;
}

/* Keeps bytes until they can be passed on.  0 or -ENOMEM. */
static int keep(struct input *input, const unsigned char *bytes, size_t size)
{
	size_t here = input->waiting_end - input->waiting_at;
	unsigned char *more;

	/* The file's end, before which nothing may have come. */
	if (!size)
		return 0;
	if (input->waiting_at) {
		memmove(input->waiting, input->waiting + input->waiting_at, here);
		input->waiting_at = 0;
		input->waiting_end = here;
	}
	if (here + size > input->waiting_room) {
		size_t room = 2 * (here + size);

		more = realloc(input->waiting, room);
		if (!more)
			return -ENOMEM;
		input->waiting = more;
		input->waiting_room = room;
	}
	memcpy(input->waiting + here, bytes, size);
	input->waiting_end += size;
	return 0;
}

/* Node 0's monitor: waits for a piece of the file.  Its size, or 0 at the end. */
static uint64_t next_piece(struct node *node, unsigned char *piece)
{
	struct input *input = node->input;
	size_t here;

	relay_want(node, UINT64_MAX);
	while (input->waiting_at == input->waiting_end && !input->over && !node->failed)
		relay_wait(node);
	here = input->waiting_end - input->waiting_at;
	if (here > PIECE)
		here = PIECE;
	if (here)
		memcpy(piece, input->waiting + input->waiting_at, here);
	input->waiting_at += here;
	return here;
}

static void copy_file(struct node *node)
{
	struct input *input = node->input;
	unsigned char *piece = malloc(PIECE);
	uint64_t *sent = &node->channel->statistics.sent[CAPE_SENT_INPUT], size;
	int error = piece ? 0 : -ENOMEM;

	do {
		size = node->rank == 0 && !error ? next_piece(node, piece) : 0;
		if (!error)
			error = collective_broadcast(node->wire, &size, sizeof(size), NULL);
		if (!error)
			error = collective_broadcast(node->wire, piece, size, sent);
		if (!error)
			error = write_file(input->program_end, piece, size);
	} while (!error && size);
	lseek(input->program_end, 0, SEEK_SET);
	if (error)
		node_fail(node, 1, "node %d: cannot store standard input in memory: %s", node->rank,
			  strerror(-error));
	free(piece);
}

static void forget_first(struct input *input)
{
	struct piece *piece = input->first;

	input->first = piece->next;
	if (!input->first)
		input->last = &input->first;
	free(piece->request);
	free(piece);
}

static void forget_sent(struct node *node)
{
	struct input *input = node->input;

	while (input->first) {
		for (int i = 0; i < node->size - 1; i++)
			if (!wire_test(node->wire, &input->first->request[i]))
				return;
		forget_first(input);
	}
}

/* 0 or -ENOMEM. */
static int send_to_others(struct node *node, const void *bytes, size_t size)
{
	struct input *input = node->input;
	struct piece *piece;

	if (node->size == 1)
		return 0;
	piece = malloc(sizeof(*piece) + size);
	if (!piece)
		return -ENOMEM;
	piece->next = NULL;
	piece->request = malloc(((size_t)node->size - 1) * sizeof(*piece->request));
	if (!piece->request) {
		free(piece);
		return -ENOMEM;
	}
	memcpy(piece->bytes, bytes, size);
	for (int other = 1; other < node->size; other++)
		wire_send(node->wire, piece->bytes, size, other, WIRE_TAG_INPUT,
			  &piece->request[other - 1]);
	sent_add(node->channel, CAPE_SENT_INPUT, (uint64_t)(node->size - 1) * size);
	*input->last = piece;
	input->last = &piece->next;
	return 0;
}

/* Whether there is somebody to pass input on to. */
static bool reads_input(const struct node *node)
{
	return node->options.input_is_file || node->input->pipe >= 0;
}

static void no_memory(struct node *node)
{
	node_fail(node, 1, "node %d: out of memory for standard input", node->rank);
}

void input_take(struct node *node, const void *bytes, size_t size)
{
	struct input *input = node->input;
	int error = 0;

	input->over |= size == 0;
	if (!node->options.input_is_file)
		error = send_to_others(node, bytes, size);
	if (!error && reads_input(node))
		error = keep(input, bytes, size);
	if (error)
		no_memory(node);
}

/* Other monitors: takes what node 0's has sent. */
static bool receive(struct node *node)
{
	static unsigned char piece[PIECE];
	struct input *input = node->input;
	bool moved = false;
	size_t size;
	int from;

	while (!input->over &&
	       wire_take(node->wire, piece, sizeof(piece), WIRE_TAG_INPUT, &from, &size)) {
		input->over = size == 0;
		moved = true;
		if (reads_input(node) && keep(input, piece, size) < 0)
			no_memory(node);
	}
	return moved;
}

static void watch(struct node *node, bool on)
{
	struct input *input = node->input;

	if (on != input->watched &&
	    loop_watch(&node->loop, &input->watcher, input->pipe, on ? EPOLLOUT : 0) == 0)
		input->watched = on;
}

static void end_input(struct node *node)
{
	watch(node, false);
	close(node->input->pipe);
	node->input->pipe = -1;
}

static bool feed_program(struct node *node)
{
	struct input *input = node->input;
	bool moved = false, gone = false;

	while (input->waiting_at < input->waiting_end && !gone) {
		ssize_t put = write(input->pipe, input->waiting + input->waiting_at,
				    input->waiting_end - input->waiting_at);

		gone = put < 0 && errno == EPIPE;
		if (put <= 0)
			break;
		input->waiting_at += (size_t)put;
		input->fed += (uint64_t)put;
		moved = true;
	}
	if (gone || (input->over && input->waiting_at == input->waiting_end))
		end_input(node);
	else
		watch(node, input->waiting_at < input->waiting_end);
	return moved;
}

/* Node 0's monitor: how far others would read. */
static void hear_wants(struct node *node)
{
	uint64_t requested;
	size_t size;
	int from;

	while (node->size > 1 && wire_take(node->wire, &requested, sizeof(requested),
					   WIRE_TAG_WANTED, &from, &size)) {
		if (requested > node->input->requested)
			node->input->requested = requested;
	}
}

/* Asks for more once half of what was asked for is taken. */
static void tell_wants(struct node *node)
{
	struct input *input = node->input;

	if (input->pipe >= 0 && input->fed + WINDOW > input->requested)
		input->requested = input->fed + WINDOW;
	if (input->requested - input->reported < WINDOW / 2)
		return;
	if (node->rank == 0) {
		input->reported = input->requested;
		relay_want(node, input->reported);
		return;
	}
	if (!wire_test(node->wire, &input->reporting))
		return;
	input->reported = input->requested;
	wire_send(node->wire, &input->reported, sizeof(input->reported), 0, WIRE_TAG_WANTED,
		  &input->reporting);
	sent_add(node->channel, CAPE_SENT_INPUT, sizeof(input->reported));
}

/* Passes on what can be without waiting: input to where it is read, and wants to whence it comes.
 */
static bool look(void *context)
{
	struct node *node = context;
	struct input *input = node->input;
	bool moved = false;

	if (node->rank == 0) {
		forget_sent(node);
		hear_wants(node);
	} else {
		moved = receive(node);
	}
	if (input->pipe >= 0)
		moved |= feed_program(node);
	tell_wants(node);
	return moved;
}

void input_prepare(struct node *node)
{
	struct input *input = node->input;

	if (node->options.input_is_file)
		copy_file(node);
	close(input->program_end);
	if (node->options.input_is_file)
		return;
	input->watcher = (struct watcher){.look = look, .context = node};
	loop_add(&node->loop, &input->watcher);
}

bool input_is_flushed(const struct node *node)
{
	return !node->input->first;
}

void input_stop(struct node *node)
{
	struct input *input = node->input;

	if (input->pipe >= 0)
		end_input(node);
	while (input->first)
		forget_first(input);
	free(input->waiting);
	free(input);
}
