// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * line.c - lines between sockets: bytes pass late and in pieces, and in their order, until a cut.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include "random.h"
/* Parts of the monitor. */
#include "common/clock.c"
#include "wire/sockets/mischief.c"
#include "wire/sockets/line.c"

#define SEEDS  40
#define SIZE   300000
#define SOON   20000000000ull
#define SHORT  100 /* bytes */
#define SILENT 1   /* seconds */

/* Two nodes with a line at each of their ends. */
struct nodes {
	struct lines *lines[2];
	int end[2];
	bool direct[2]; /* nothing is done there */
};

static void open_nodes(struct nodes *nodes, uint64_t seed, enum mischief_line kind,
		       const struct mischief_cut *cut)
{
	int pair[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair), 0);
	for (int i = 0; i < 2; i++) {
		nodes->lines[i] = lines_start(seed, i, cut, SILENT);
		assert_non_null(nodes->lines[i]);
		nodes->end[i] = lines_join(nodes->lines[i], pair[i], !i, kind);
		assert_true(nodes->end[i] >= 0);
		nodes->direct[i] = nodes->end[i] == pair[i];
	}
}

static void close_nodes(struct nodes *nodes)
{
	for (int i = 0; i < 2; i++) {
		close(nodes->end[i]);
		lines_stop(nodes->lines[i]);
	}
}

/* What comes to END until it ends or ROOM is full; in how many pieces. */
static size_t take_all(int end, unsigned char *bytes, size_t room, unsigned *pieces)
{
	struct pollfd event = {.fd = end, .events = POLLIN};
	uint64_t until = clock_now() + SOON;
	size_t size = 0;

	for (*pieces = 0; size < room && clock_now() < until; ++*pieces) {
		ssize_t got;

		assert_true(poll(&event, 1, 20000) == 1);
		got = recv(end, bytes + size, room - size, 0);
		if (got <= 0)
			break;
		size += (size_t)got;
	}
	return size;
}

struct sending {
	int end;
	const unsigned char *bytes;
	size_t size;
};

static void *send_all(void *context)
{
	const struct sending *sending = context;
	struct pollfd event = {.fd = sending->end, .events = POLLOUT};
	size_t gone = 0;

	while (gone < sending->size && poll(&event, 1, 20000) == 1) {
		ssize_t sent = send(sending->end, sending->bytes + gone, sending->size - gone,
				    MSG_NOSIGNAL | MSG_DONTWAIT);

		if (sent < 0 && errno != EAGAIN)
			break;
		gone += sent > 0 ? (size_t)sent : 0;
	}
	return NULL;
}

static unsigned char out[SIZE], in[SIZE];

/* From node FROM to the other; in how many pieces they came. */
static unsigned pass(const struct nodes *nodes, int from)
{
	struct sending sending = {nodes->end[from], out, SIZE};
	pthread_t sender;
	unsigned pieces;

	memset(in, 0, SIZE);
	assert_int_equal(pthread_create(&sender, NULL, send_all, &sending), 0);
	assert_int_equal(take_all(nodes->end[!from], in, SIZE, &pieces), SIZE);
	pthread_join(sender, NULL);
	assert_memory_equal(in, out, SIZE);
	return pieces;
}

static void bytes_pass_whole_and_in_order(void **state)
{
	unsigned direct = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct nodes nodes;

		open_nodes(&nodes, seed, seed % MISCHIEF_LINES, NULL);
		for (int from = 0; from < 2; from++)
			pass(&nodes, from);
		direct += nodes.direct[0] + nodes.direct[1];
		close_nodes(&nodes);
	}
	/* Some lines are as fast as can be, most are not. */
	assert_in_range(direct, 0, SEEDS / 2);
}

/* Each of the lines by each seed: mostly not as it was sent. */
static void bytes_come_late_and_in_pieces(void **state)
{
	unsigned late = 0, cut_up = 0, pieces;

	(void)state;
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct nodes nodes;
		unsigned char byte[SHORT];

		open_nodes(&nodes, seed, seed % MISCHIEF_LINES, NULL);
		assert_int_equal(send(nodes.end[0], out, SHORT, 0), SHORT);
		late += recv(nodes.end[1], byte, SHORT, MSG_PEEK) < SHORT;
		assert_int_equal(take_all(nodes.end[1], byte, SHORT, &pieces), SHORT);
		assert_memory_equal(byte, out, SHORT);
		cut_up += pieces > 1;
		close_nodes(&nodes);
	}
	assert_in_range(late, SEEDS / 2, SEEDS);
	assert_in_range(cut_up, 1, SEEDS);
}

/* As what a socket has taken comes though the process that wrote it has ended. */
static void what_was_sent_comes_after_the_end(void **state)
{
	unsigned pieces;

	(void)state;
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct nodes nodes;
		unsigned char byte[2 * SHORT];

		open_nodes(&nodes, seed, MISCHIEF_SERVICE, NULL);
		assert_int_equal(send(nodes.end[0], out, SHORT, 0), SHORT);
		if (seed % 2)
			close(nodes.end[0]);
		lines_stop(nodes.lines[0]);
		if (nodes.direct[0] && seed % 2 == 0)
			close(nodes.end[0]);
		assert_int_equal(take_all(nodes.end[1], byte, 2 * SHORT, &pieces), SHORT);
		assert_memory_equal(byte, out, SHORT);
		if (seed % 2 == 0 && !nodes.direct[0])
			close(nodes.end[0]);
		close(nodes.end[1]);
		lines_stop(nodes.lines[1]);
	}
}

/* After so many bytes from node 0, nothing more comes to node 1. */
static void cut_after(enum mischief_how how, uint64_t bytes, uint64_t seed)
{
	const struct mischief_cut cut = {
		.node = 0, .other = 1, .line = MISCHIEF_FETCH, .how = how, .bytes = bytes};
	uint64_t began = clock_now();
	struct nodes nodes;
	struct sending sending;
	unsigned pieces;
	size_t come;

	open_nodes(&nodes, seed, MISCHIEF_FETCH, &cut);
	assert_false(nodes.direct[0]);
	sending = (struct sending){nodes.end[0], out, SHORT};
	send_all(&sending);
	come = take_all(nodes.end[1], in, SHORT, &pieces);
	assert_true(come <= bytes);
	assert_memory_equal(in, out, come);
	assert_int_equal(clock_now() - began >= SILENT * 1000000000ull, how == MISCHIEF_SILENT);
	if (how == MISCHIEF_HALF) {
		/* The other way is open until that one's other end goes, too. */
		assert_int_equal(send(nodes.end[1], out, SHORT, MSG_NOSIGNAL), SHORT);
		assert_int_equal(take_all(nodes.end[0], in, SHORT, &pieces), SHORT);
		assert_int_equal(send(nodes.end[0], out, 1, MSG_NOSIGNAL), -1);
	} else {
		assert_int_equal(take_all(nodes.end[0], in, SHORT, &pieces), 0);
	}
	close_nodes(&nodes);
}

static void a_cut_comes_in_the_middle_and_both_ends_learn(void **state)
{
	(void)state;
	for (int how = 0; how < MISCHIEF_HOWS; how++)
		for (uint64_t i = 1; i < (how == MISCHIEF_SILENT ? 3 : 10); i++)
			cut_after(how, 7 * i, i);
}

static void a_cut_comes_though_nothing_moves(void **state)
{
	const struct mischief_cut cut = {
		.node = 1, .other = 0, .line = MISCHIEF_WIRE, .time = 50000000};
	uint64_t began = clock_now();
	struct nodes nodes;
	unsigned pieces;

	(void)state;
	open_nodes(&nodes, 1, MISCHIEF_WIRE, &cut);
	for (int i = 0; i < 2; i++)
		assert_int_equal(take_all(nodes.end[i], in, SHORT, &pieces), 0);
	assert_true(clock_now() - began >= cut.time);
	close_nodes(&nodes);
}

/* Another line than that of the cut, and the other end of that line, are as they were. */
static void cuts_are_of_one_line(void **state)
{
	const struct mischief_cut cut = {.node = 0, .other = 1, .line = MISCHIEF_WIRE, .bytes = 1};
	struct nodes nodes;

	(void)state;
	open_nodes(&nodes, 3, MISCHIEF_SERVICE, &cut);
	for (int from = 0; from < 2; from++)
		pass(&nodes, from);
	close_nodes(&nodes);
}

/* Any seed cuts a line that there may be, between two of the nodes; all kinds come. */
static void cuts_are_of_lines_that_are_there(void **state)
{
	unsigned lines = 0, hows = 0, bytes = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= 1000; seed++) {
		int size = 2 + (int)(seed % 5);
		struct mischief_cut cut = mischief_cut(seed, size);

		assert_in_range(cut.node, 0, size - 1);
		assert_in_range(cut.other, 0, size - 1);
		assert_int_not_equal(cut.node, cut.other);
		if (cut.line == MISCHIEF_SERVICE)
			assert_true(cut.node == 0 || cut.other == 0);
		lines |= 1u << cut.line;
		hows |= 1u << cut.how;
		bytes += cut.bytes > 0;
	}
	assert_int_equal(lines, (1u << MISCHIEF_LINES) - 1);
	assert_int_equal(hows, (1u << MISCHIEF_HOWS) - 1);
	assert_in_range(bytes, 400, 600);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bytes_pass_whole_and_in_order),
		cmocka_unit_test(bytes_come_late_and_in_pieces),
		cmocka_unit_test(what_was_sent_comes_after_the_end),
		cmocka_unit_test(a_cut_comes_in_the_middle_and_both_ends_learn),
		cmocka_unit_test(a_cut_comes_though_nothing_moves),
		cmocka_unit_test(cuts_are_of_one_line),
		cmocka_unit_test(cuts_are_of_lines_that_are_there),
	};
	struct random dice;

	random_start(&dice);
	for (size_t i = 0; i < SIZE; i++)
		out[i] = (unsigned char)random_next(&dice);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
