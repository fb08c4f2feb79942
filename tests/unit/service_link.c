// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * service_link.c - messages over a socket: of all sizes, in pieces, held back, and hostile ones.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <poll.h>
#include <stdio.h>
#include "random.h"

#include "service/service_link.c"

#define LIMIT 200000

static struct random dice;

/* Two ends of a socket with little room, and what one of them has received. */
struct ends {
	struct link link[2];
	int events;
	unsigned char *expected[64];
	size_t size[64];
	unsigned sent, taken;
	uint64_t bytes;
	unsigned char *elsewhere; /* where large ones go, or NULL */
	unsigned later;		  /* how often the next message is held */
};

static struct ends *open_ends(void)
{
	struct ends *ends = calloc(1, sizeof(*ends));
	int pair[2], size = 4096;

	assert_non_null(ends);
	ends->events = epoll_create1(0);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair), 0);
	for (int i = 0; i < 2; i++) {
		setsockopt(pair[i], SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));
		assert_int_equal(
			link_open(&ends->link[i], pair[i], ends->events, (uint32_t)i, &ends->bytes),
			0);
	}
	return ends;
}

static void close_ends(struct ends *ends)
{
	for (int i = 0; i < 2; i++)
		link_close(&ends->link[i]);
	for (unsigned i = 0; i < ends->sent; i++)
		free(ends->expected[i]);
	close(ends->events);
	free(ends->elsewhere);
	free(ends);
}

static unsigned char *place(void *context, struct link *link, const struct link_frame *frame)
{
	struct ends *ends = context;

	(void)link;
	return frame->size > 4096 ? ends->elsewhere : NULL;
}

static int take(void *context, struct link *link, const struct link_frame *frame,
		const unsigned char *body)
{
	struct ends *ends = context;

	(void)link;
	if (ends->later) {
		ends->later--;
		return LINK_LATER;
	}
	assert_true(ends->taken < ends->sent);
	assert_int_equal(frame->kind, ends->taken + 1);
	assert_int_equal(frame->size, ends->size[ends->taken]);
	assert_memory_equal(body, ends->expected[ends->taken], frame->size);
	ends->taken++;
	return 0;
}

static unsigned char *new_message(struct ends *ends, size_t size)
{
	unsigned char *bytes = malloc(size + 1);

	assert_non_null(bytes);
	for (size_t i = 0; i < size; i++)
		bytes[i] = (unsigned char)random_next(&dice);
	ends->expected[ends->sent] = bytes;
	ends->size[ends->sent++] = size;
	return bytes;
}

static void put(struct ends *ends, size_t size)
{
	const unsigned char *bytes = new_message(ends, size);

	assert_int_equal(link_put(&ends->link[0], (enum link_kind)ends->sent, bytes, size), 0);
}

/* In up to three pieces. */
static void send_large(struct ends *ends, size_t size)
{
	struct iovec *piece = calloc(4, sizeof(*piece));
	unsigned char *bytes = new_message(ends, size);
	size_t first = random_below(&dice, size + 1),
	       second = random_below(&dice, size - first + 1);

	assert_non_null(piece);
	piece[1] = (struct iovec){bytes, first};
	piece[2] = (struct iovec){bytes + first, second};
	piece[3] = (struct iovec){bytes + first + second, size - first - second};
	assert_int_equal(link_send(&ends->link[0], (enum link_kind)ends->sent, piece, 4), 0);
}

/* Both ends do what events tell them until nothing is left to do. */
static void run(struct ends *ends)
{
	const struct link_reader reader = {ends, place, LIMIT, take};
	struct epoll_event event[2];
	int count;

	while ((count = epoll_wait(ends->events, event, 2, 0)) > 0) {
		for (int i = 0; i < count; i++) {
			struct link *link = &ends->link[event[i].data.u32];

			if (event[i].events & EPOLLOUT)
				assert_int_equal(link_write(link), 0);
			if (event[i].events & EPOLLIN)
				assert_int_equal(link_read(link, &reader), 0);
		}
	}
}

static void all_sizes_arrive(void **state)
{
	(void)state;
	for (int round = 0; round < 60; round++) {
		struct ends *ends = open_ends();

		if (round % 2)
			ends->elsewhere = malloc(LIMIT);
		for (int i = 0; i < 20; i++) {
			if (!link_busy(&ends->link[0]) && random_below(&dice, 2))
				send_large(
					ends,
					random_below(&dice, random_below(&dice, 2) ? 100 : LIMIT));
			else if (ends->link[0].small_size < 500)
				put(ends, random_below(&dice, 300));
			if (random_below(&dice, 2))
				run(ends);
		}
		run(ends);
		assert_int_equal(ends->taken, ends->sent);
		assert_false(link_busy(&ends->link[0]));
		close_ends(ends);
	}
}

static void held_messages_keep_their_place(void **state)
{
	struct ends *ends = open_ends();
	const struct link_reader reader = {ends, place, LIMIT, take};

	(void)state;
	put(ends, 10);
	put(ends, 20);
	send_large(ends, 50000);
	ends->later = 2;
	run(ends);
	assert_int_equal(ends->taken, 0);
	assert_true(ends->link[1].held);
	assert_int_equal(link_again(&ends->link[1], &reader), 0);
	assert_true(ends->link[1].held);
	assert_int_equal(link_again(&ends->link[1], &reader), 0);
	run(ends);
	assert_int_equal(ends->taken, 3);
	close_ends(ends);
}

static void a_reader_that_sleeps_stops_the_writer(void **state)
{
	struct ends *ends = open_ends();
	unsigned char bytes[1000] = {0};
	int error = 0;

	(void)state;
	for (int i = 0; i < 1000 && !error; i++)
		error = link_put(&ends->link[0], LINK_QUESTION, bytes, sizeof(bytes));
	assert_int_equal(error, -ENOBUFS);
	assert_int_equal(link_put(&ends->link[0], LINK_QUESTION, bytes, SIZE_MAX), -ENOBUFS);
	close_ends(ends);
}

/* What comes of SIZE bytes that another end sends before it hangs up. */
static int hostile(const void *bytes, size_t size)
{
	struct ends *ends = open_ends();
	const struct link_reader reader = {ends, place, LIMIT, take};
	int error = 0;

	assert_int_equal(write(ends->link[0].socket, bytes, size), size);
	link_close(&ends->link[0]);
	ends->later = 1;
	for (int i = 0; i < 10 && !error; i++)
		error = link_read(&ends->link[1], &reader);
	close_ends(ends);
	return error;
}

static void nonsense_is_an_error(void **state)
{
	struct link_frame frame = {.kind = 0, .size = 1};
	unsigned char noise[64];

	(void)state;
	assert_int_equal(hostile("", 0), -ECONNRESET);
	assert_int_equal(hostile(&frame, sizeof(frame)), -EPROTO);
	frame.kind = 1;
	assert_int_equal(hostile(&frame, sizeof(frame)), -ECONNRESET);
	assert_int_equal(hostile(&frame, sizeof(frame) - 1), -ECONNRESET);
	frame.size = LIMIT + 1;
	assert_int_equal(hostile(&frame, sizeof(frame)), -EMSGSIZE);
	frame.size = UINT64_MAX;
	assert_int_equal(hostile(&frame, sizeof(frame)), -EMSGSIZE);
	frame.zero = 1;
	assert_int_equal(hostile(&frame, sizeof(frame)), -EPROTO);
	for (int i = 0; i < 2000; i++) {
		for (size_t k = 0; k < sizeof(noise); k++)
			noise[k] = (unsigned char)random_next(&dice);
		assert_true(hostile(noise, sizeof(noise)) < 0);
	}
}

static void a_closed_link_takes_nothing(void **state)
{
	struct ends *ends = open_ends();

	(void)state;
	link_close(&ends->link[0]);
	assert_int_equal(link_put(&ends->link[0], LINK_QUESTION, "", 0), -ENOTCONN);
	assert_int_equal(link_send(&ends->link[0], LINK_REPLY, calloc(1, sizeof(struct iovec)), 1),
			 -ENOTCONN);
	close_ends(ends);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_sizes_arrive),
		cmocka_unit_test(held_messages_keep_their_place),
		cmocka_unit_test(a_reader_that_sleeps_stops_the_writer),
		cmocka_unit_test(nonsense_is_an_error),
		cmocka_unit_test(a_closed_link_takes_nothing),
	};

	random_start(&dice);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
