// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * wire_sockets.c - the wire over sockets: all nodes of a run in this process, each with its loop.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include "random.h"
/* Parts of the monitor. */
#include "common/clock.c"
#include "base/loop.c"
#include "wire/wire.c"
#include "wire/sockets/mischief.c"
#include "wire/sockets/line.c"
#include "wire/sockets/pair.c"
#include "wire/sockets/wire_sockets.c"

#define NODES	5
#define LARGE	(3u << 20)
#define LONGEST 60000000000ull /* of a wait, in nanoseconds */

struct run {
	int size;
	int end[NODES][NODES]; /* [A][B]: A's socket to B */
	struct loop loop[NODES];
	struct wire *wire[NODES];
};

static const char *seed_of_all; /* of mischief; NULL: none */

static void make_sockets(struct run *run, int size)
{
	run->size = size;
	for (int i = 0; i < size; i++) {
		run->end[i][i] = -1;
		for (int other = i + 1; other < size; other++) {
			int end[2];

			assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, end), 0);
			run->end[i][other] = end[0];
			run->end[other][i] = end[1];
		}
	}
}

static void open_node(struct run *run, int node)
{
	char list[12 * NODES] = "";

	for (int other = 0; other < run->size; other++)
		sprintf(list + strlen(list), "%d ", run->end[node][other]);
	setenv(SOCKETS_VARIABLE, list, 1);
	if (seed_of_all)
		setenv(SOCKETS_SEED_VARIABLE, seed_of_all, 1);
	assert_int_equal(loop_start(&run->loop[node]), 0);
	run->wire[node] = wire_open(&run->loop[node]);
	assert_non_null(run->wire[node]);
	assert_int_equal(run->wire[node]->rank, node);
	assert_int_equal(run->wire[node]->size, run->size);
	assert_null(getenv(SOCKETS_VARIABLE));
}

static void close_node(struct run *run, int node)
{
	run->wire[node]->ops->close(run->wire[node]);
	loop_stop(&run->loop[node]);
	run->wire[node] = NULL;
}

static void open_run(struct run *run, int size)
{
	make_sockets(run, size);
	for (int i = 0; i < size; i++)
		open_node(run, i);
}

static void close_run(struct run *run)
{
	for (int i = 0; i < run->size; i++)
		if (run->wire[i])
			close_node(run, i);
}

/* Whether all of REQUEST, each of which is of the node NODE[i], come to be done. */
static bool come(struct run *run, struct wire_request *request, const int *node, int count)
{
	int done = 0;

	for (uint64_t began = clock_now(); done < count && clock_now() - began < LONGEST;) {
		done = 0;
		for (int i = 0; i < count; i++)
			done += wire_test(run->wire[node[i]], &request[i]);
	}
	return done == count;
}

/* One message from FROM to TO, which is received as it was. */
static void pass(struct run *run, int from, int to, size_t size, bool posted_first)
{
	unsigned char *out = malloc(size + 1), *in = malloc(size + 1);
	struct wire_request request[2];
	const int node[2] = {from, to};

	assert_non_null(out);
	assert_non_null(in);
	for (size_t i = 0; i < size; i++)
		out[i] = (unsigned char)(i * 7 + i / 251 + size);
	memset(in, 0, size + 1);
	in[size] = 99;
	if (posted_first)
		wire_receive(run->wire[to], in, size, from, WIRE_TAG_RING, &request[1]);
	wire_send(run->wire[from], out, size, to, WIRE_TAG_RING, &request[0]);
	if (!posted_first)
		wire_receive(run->wire[to], in, size + 1, from, WIRE_TAG_RING, &request[1]);
	assert_true(come(run, request, node, 2));
	assert_int_equal(request[1].size, size);
	assert_memory_equal(in, out, size);
	assert_int_equal(in[size], 99);
	free(out);
	free(in);
}

static void pass_all_sizes(int nodes)
{
	static const size_t sizes[] = {0,     1,     15,    16,	    17,	     1000, 65519,
				       65520, 65536, 65537, 200000, 1000000, LARGE};
	struct run run;

	open_run(&run, nodes);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		for (int from = 0; from < nodes; from++)
			pass(&run, from, (from + 1) % nodes, sizes[i], (i + (size_t)from) & 1);
	close_run(&run);
}

static void messages_of_all_sizes_pass(void **state)
{
	(void)state;
	for (int nodes = 2; nodes <= NODES; nodes++)
		pass_all_sizes(nodes);
}

static void tags_have_orders_of_their_own(void **state)
{
	struct wire_request request[40], received[40];
	uint32_t out[40], in[40];
	const int sender[40] = {0}, receiver[40] = {[0 ... 39] = 1};
	struct run run;

	(void)state;
	open_run(&run, 2);
	for (uint32_t i = 0; i < 40; i++) {
		out[i] = i;
		wire_send(run.wire[0], &out[i], sizeof(out[i]), 1,
			  i % 2 ? WIRE_TAG_PUSH : WIRE_TAG_CONTROL, &request[i]);
	}
	/* Of the one tag first, which came behind. */
	for (int i = 0; i < 40; i++)
		wire_receive(run.wire[1], &in[i], sizeof(in[i]), 0,
			     i < 20 ? WIRE_TAG_PUSH : WIRE_TAG_CONTROL, &received[i]);
	assert_true(come(&run, received, receiver, 40));
	assert_true(come(&run, request, sender, 40));
	for (uint32_t i = 0; i < 20; i++) {
		assert_int_equal(in[i], 2 * i + 1);
		assert_int_equal(in[20 + i], 2 * i);
	}
	close_run(&run);
}

/* What the sockets do not take waits for the other node, and holds up nobody. */
static void a_send_waits_and_does_not_block(void **state)
{
	unsigned char *out = calloc(1, LARGE), *in = calloc(1, LARGE);
	struct wire_request request[4];
	const int node[4] = {0, 1, 0, 1};
	struct run run;
	char small;

	(void)state;
	open_run(&run, 3);
	out[0] = 1;
	out[LARGE - 1] = 2;
	wire_send(run.wire[0], out, LARGE, 1, WIRE_TAG_SCATTER, &request[0]);
	wire_send(run.wire[0], "x", 1, 1, WIRE_TAG_CONTROL, &request[2]);
	for (int i = 0; i < 1000; i++)
		assert_false(wire_test(run.wire[0], &request[0]));
	assert_false(wire_test(run.wire[0], &request[2]));
	pass(&run, 0, 2, 100, true);
	/* Nobody wants the first yet, and the second comes. */
	wire_receive(run.wire[1], &small, 1, 0, WIRE_TAG_CONTROL, &request[3]);
	assert_true(come(&run, request + 2, node + 2, 2));
	assert_int_equal(small, 'x');
	wire_receive(run.wire[1], in, LARGE, 0, WIRE_TAG_SCATTER, &request[1]);
	assert_true(come(&run, request, node, 2));
	assert_memory_equal(in, out, LARGE);
	close_run(&run);
	free(out);
	free(in);
}

static void a_probe_sees_what_nobody_receives(void **state)
{
	struct wire_request request[4], receive;
	int from, seen = 0;
	size_t size;
	struct run run;
	char byte;

	(void)state;
	open_run(&run, 4);
	assert_false(wire_is_here(run.wire[0], WIRE_TAG_OUTPUT));
	/* Somebody waits for node 1's. */
	wire_receive(run.wire[0], &byte, 1, 1, WIRE_TAG_OUTPUT, &receive);
	wire_send(run.wire[1], "a", 1, 0, WIRE_TAG_OUTPUT, &request[1]);
	assert_false(wire_is_here(run.wire[0], WIRE_TAG_OUTPUT));
	assert_true(wire_test(run.wire[0], &receive));
	assert_int_equal(byte, 'a');
	/* Two of each: nobody comes twice before all have come once. */
	for (int round = 0; round < 2; round++)
		for (int i = 1; i < 4; i++)
			wire_send(run.wire[i], &"bcd"[i - 1], 1, 0, WIRE_TAG_OUTPUT, &request[i]);
	assert_false(wire_is_here(run.wire[0], WIRE_TAG_CONTROL));
	for (int i = 0; i < 6; i++) {
		assert_true(wire_is_here(run.wire[0], WIRE_TAG_OUTPUT));
		assert_true(wire_take(run.wire[0], &byte, 1, WIRE_TAG_OUTPUT, &from, &size));
		assert_int_equal(size, 1);
		assert_int_equal(byte, "abcd"[from]);
		seen |= 1 << (i < 3 ? 0 : 4) << from;
	}
	assert_int_equal(seen, 0xee);
	assert_false(wire_take(run.wire[0], &byte, 1, WIRE_TAG_OUTPUT, &from, &size));
	close_run(&run);
}

static void a_sender_learns_what_was_taken(void **state)
{
	struct wire_request sent[3], received;
	struct run run;
	char byte;

	(void)state;
	open_run(&run, 2);
	wire_send_until_taken(run.wire[0], "a", 1, 1, WIRE_TAG_OUTPUT, &sent[0]);
	wire_send_until_taken(run.wire[0], "b", 1, 1, WIRE_TAG_INPUT, &sent[1]);
	wire_send_until_taken(run.wire[0], "", 0, 1, WIRE_TAG_INPUT, &sent[2]);
	/* Here, and not taken. */
	assert_true(wire_is_here(run.wire[1], WIRE_TAG_OUTPUT));
	for (int i = 0; i < 3; i++)
		assert_false(wire_test(run.wire[0], &sent[i]));
	wire_receive(run.wire[1], &byte, 1, 0, WIRE_TAG_INPUT, &received);
	assert_true(wire_test(run.wire[1], &received));
	assert_true(wire_test(run.wire[0], &sent[1]));
	assert_false(wire_test(run.wire[0], &sent[0]));
	assert_false(wire_test(run.wire[0], &sent[2]));
	wire_receive(run.wire[1], &byte, 1, 0, WIRE_TAG_OUTPUT, &received);
	assert_true(wire_test(run.wire[1], &received));
	assert_true(wire_test(run.wire[0], &sent[0]));
	/* With the other's end nothing is taken any more. */
	assert_false(wire_test(run.wire[0], &sent[2]));
	close_node(&run, 1);
	assert_true(wire_test(run.wire[0], &sent[2]));
	close_run(&run);
}

static void a_receive_is_given_up(void **state)
{
	struct wire_request request, first, second;
	struct run run;
	char byte = 0, other = 0;

	(void)state;
	open_run(&run, 2);
	wire_receive(run.wire[1], &byte, 1, 0, WIRE_TAG_COPY, &first);
	wire_receive(run.wire[1], &other, 1, 0, WIRE_TAG_COPY, &second);
	wire_give_up(run.wire[1], &first);
	assert_false(first.pending);
	assert_int_equal(first.size, 0);
	wire_send(run.wire[0], "a", 1, 1, WIRE_TAG_COPY, &request);
	assert_true(wire_test(run.wire[1], &second));
	assert_int_equal(byte, 0);
	assert_int_equal(other, 'a');
	/* Of one that is done nothing is to be given up. */
	wire_give_up(run.wire[1], &second);
	wire_receive(run.wire[1], &byte, 1, 0, WIRE_TAG_COPY, &first);
	wire_receive(run.wire[1], &other, 1, 0, WIRE_TAG_COPY, &second);
	wire_give_up(run.wire[1], &second);
	wire_send(run.wire[0], "b", 1, 1, WIRE_TAG_COPY, &request);
	assert_true(wire_test(run.wire[1], &first));
	assert_int_equal(byte, 'b');
	close_run(&run);
}

static void a_barrier_waits_for_all(void **state)
{
	struct wire_request one[NODES], two[NODES];
	const int node[NODES] = {0, 1, 2, 3, 4};
	struct run run;

	(void)state;
	open_run(&run, NODES);
	for (int i = 0; i < NODES; i++) {
		for (int before = 0; before < i; before++)
			assert_false(wire_test(run.wire[before], &one[before]));
		wire_barrier(run.wire[i], &one[i]);
		if (i == 0)
			wire_barrier(run.wire[i], &two[i]);
	}
	assert_true(come(&run, one, node, NODES));
	assert_false(wire_test(run.wire[0], &two[0]));
	for (int i = 1; i < NODES; i++)
		wire_barrier(run.wire[i], &two[i]);
	assert_true(come(&run, two, node, NODES));
	close_run(&run);
}

/* What it sent before comes, and what it will never receive is done. */
static void a_node_ends(void **state)
{
	unsigned char *out = calloc(1, LARGE);
	struct wire_request request[3], received;
	struct run run;
	char byte;

	(void)state;
	open_run(&run, 3);
	wire_send(run.wire[1], "z", 1, 0, WIRE_TAG_CONTROL, &request[1]);
	wire_barrier(run.wire[1], &request[2]);
	wire_send(run.wire[0], out, LARGE, 1, WIRE_TAG_RING, &request[0]);
	assert_false(wire_test(run.wire[0], &request[0]));
	close_node(&run, 1);
	assert_true(come(&run, request, (int[]){0}, 1));
	wire_send(run.wire[0], out, LARGE, 1, WIRE_TAG_RING, &request[0]);
	assert_true(wire_test(run.wire[0], &request[0]));
	wire_receive(run.wire[0], &byte, 1, 1, WIRE_TAG_CONTROL, &received);
	assert_true(wire_test(run.wire[0], &received));
	assert_int_equal(byte, 'z');
	/* It has begun the barrier, too. */
	wire_barrier(run.wire[0], &request[0]);
	assert_false(wire_test(run.wire[0], &request[0]));
	wire_barrier(run.wire[2], &request[2]);
	assert_true(come(&run, (struct wire_request[]){request[0], request[2]}, (int[]){0, 2}, 2));
	pass(&run, 0, 2, 1000, true);
	close_run(&run);
	free(out);
}

/* A node that gets SIZE bytes at BYTES, and has room for 4, dies of them. */
static void dies_of(const void *bytes, size_t size)
{
	struct wire_request request;
	struct run run;
	char room[4];
	int status;
	pid_t child;

	make_sockets(&run, 2);
	assert_int_equal(send(run.end[1][0], bytes, size, 0), size);
	child = fork();
	if (child == 0) {
		setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
		signal(SIGABRT, SIG_DFL);
		if (!freopen("/dev/null", "w", stderr))
			_exit(1);
		open_node(&run, 0);
		wire_receive(run.wire[0], room, sizeof(room), 1, WIRE_TAG_RING, &request);
		_exit(wire_test(run.wire[0], &request) ? 1 : 0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGABRT);
	close(run.end[0][1]);
	close(run.end[1][0]);
}

static void what_is_no_message_ends_the_node(void **state)
{
	static const struct pair_head bad[] = {
		{.tag = 0, .size = 1},
		{.tag = WIRE_TAG_RING, .size = WIRE_MESSAGE_LIMIT + 1},
		{.tag = WIRE_TAG_RING, .size = UINT32_MAX},
		{.tag = PAIR_TAGS, .size = 0},
		{.tag = UINT32_MAX, .size = 0},
		{.tag = PAIR_TAG_BARRIER, .size = 1},
		{.tag = PAIR_TAG_RECEIPT, .size = 8},
		{.tag = PAIR_TAG_RECEIPT, .size = 0, .receipt = 1},
	};
	struct {
		struct pair_head head;
		char bytes[5];
	} long_one = {.head = {.tag = WIRE_TAG_RING, .size = 5}};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		dies_of(&bad[i], sizeof(bad[i]));
	dies_of(&long_one, sizeof(long_one.head) + 5);
}

static void a_list_that_is_none_opens_nothing(void **state)
{
	static const char *const lists[] = {"-1 900", "-1 -1 900", "900 -1"};
	struct loop loop;

	(void)state;
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		assert_int_equal(loop_start(&loop), 0);
		setenv(SOCKETS_VARIABLE, lists[i], 1);
		assert_null(wire_open(&loop));
		loop_stop(&loop);
	}
	unsetenv(SOCKETS_VARIABLE);
}

#define SENT 400 /* from each node to each other, under each of two tags */

struct stream {
	struct wire_request sending, receiving;
	uint32_t sent, received;
	unsigned char out[3000], in[3000];
};

/* A message's bytes all tell its number, and so does its size. */
static void advance(struct run *run, struct random *dice, struct stream *stream, int from, int to,
		    enum wire_tag tag)
{
	if (stream->sent < SENT && !stream->sending.pending && random_below(dice, 3) == 0) {
		memset(stream->out, (int)stream->sent, sizeof(stream->out));
		wire_send(run->wire[from], stream->out, stream->sent * 7 % sizeof(stream->out), to,
			  tag, &stream->sending);
		stream->sent++;
	}
	wire_test(run->wire[from], &stream->sending);
	if (stream->received == SENT || !wire_test(run->wire[to], &stream->receiving))
		return;
	if (stream->receiving.handle) {
		size_t size = stream->receiving.size;

		assert_int_equal(size, stream->received * 7 % sizeof(stream->in));
		for (size_t i = 0; i < size; i++)
			assert_int_equal(stream->in[i], stream->received % 256);
		stream->received++;
		stream->receiving = (struct wire_request){0};
	}
	if (stream->received < SENT && random_below(dice, 4) == 0)
		wire_receive(run->wire[to], stream->in, sizeof(stream->in), from, tag,
			     &stream->receiving);
}

static void go_on_many_streams(struct random *dice)
{
	static struct stream stream[NODES][NODES][2];
	uint64_t left = 1;
	struct run run;

	memset(stream, 0, sizeof(stream));
	open_run(&run, NODES);
	while (left) {
		left = 0;
		for (int i = 0; i < NODES * NODES * 2; i++) {
			int from = i / 2 / NODES, to = i / 2 % NODES;

			if (from == to)
				continue;
			advance(&run, dice, &stream[from][to][i % 2], from, to,
				i % 2 ? WIRE_TAG_RING : WIRE_TAG_CONTROL);
			left += SENT - stream[from][to][i % 2].received;
		}
	}
	close_run(&run);
}

static void many_streams_at_a_time(void **state)
{
	struct random dice;

	(void)state;
	random_start(&dice);
	go_on_many_streams(&dice);
}

/* Messages come late, in pieces, and after stalls, and whole and in their order all the same. */
static void mischief_loses_and_turns_nothing(void **state)
{
	char seed[12];
	struct random dice;

	(void)state;
	random_start(&dice);
	for (int i = 1; i <= 4; i++) {
		sprintf(seed, "%d", i);
		seed_of_all = seed;
		go_on_many_streams(&dice);
		pass_all_sizes(2 + i % (NODES - 1));
	}
	seed_of_all = NULL;
}

/* Of two messages under different tags, the later is seen first at times; of one pair and tag
 * never. */
static void mischief_delays(void **state)
{
	struct wire_request request[2];
	int late = 0, turned = 0;
	char byte[2], seed[12];
	struct run run;

	(void)state;
	for (int i = 1; i <= 200; i++) {
		sprintf(seed, "%d", i);
		seed_of_all = seed;
		open_run(&run, 2);
		assert_int_equal(run.wire[0]->apart, run.wire[1]->apart);
		wire_send(run.wire[0], "a", 1, 1, WIRE_TAG_OUTPUT, &request[0]);
		wire_send(run.wire[0], "b", 1, 1, WIRE_TAG_CONTROL, &request[1]);
		while (!wire_test(run.wire[0], &request[0]) || !wire_test(run.wire[0], &request[1]))
			;
		wire_receive(run.wire[1], &byte[0], 1, 0, WIRE_TAG_OUTPUT, &request[0]);
		wire_receive(run.wire[1], &byte[1], 1, 0, WIRE_TAG_CONTROL, &request[1]);
		late += !wire_test(run.wire[1], &request[0]);
		while (!wire_test(run.wire[1], &request[0]) && !wire_test(run.wire[1], &request[1]))
			;
		turned += request[0].pending;
		while (!wire_test(run.wire[1], &request[0]) || !wire_test(run.wire[1], &request[1]))
			;
		assert_memory_equal(byte, "ab", 2);
		close_run(&run);
	}
	seed_of_all = NULL;
	assert_in_range(late, 20, 200);
	assert_in_range(turned, 5, 190);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(messages_of_all_sizes_pass),
		cmocka_unit_test(tags_have_orders_of_their_own),
		cmocka_unit_test(a_send_waits_and_does_not_block),
		cmocka_unit_test(a_probe_sees_what_nobody_receives),
		cmocka_unit_test(a_sender_learns_what_was_taken),
		cmocka_unit_test(a_receive_is_given_up),
		cmocka_unit_test(a_barrier_waits_for_all),
		cmocka_unit_test(a_node_ends),
		cmocka_unit_test(what_is_no_message_ends_the_node),
		cmocka_unit_test(a_list_that_is_none_opens_nothing),
		cmocka_unit_test(many_streams_at_a_time),
		cmocka_unit_test(mischief_loses_and_turns_nothing),
		cmocka_unit_test(mischief_delays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
