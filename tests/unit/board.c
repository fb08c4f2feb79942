// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * board.c - programs that exchange over the board, or all by their monitors; never some of them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>
#include "on_board.h"
#include "random.h"

#define NODES	  5
#define EXCHANGES 3000
#define SINGLES	  3	/* behind each exchange */
#define LONG_NAP  30000 /* microseconds: longer than the others wait */

/* What the monitors would know: which exchange each node has asked them for. */
static struct monitors {
	uint64_t asked[NODES];
	uint64_t times;
	uint32_t taken[EXCHANGES][SINGLES]; /* constructs, by so many nodes */
} * monitors;

static void open_board(void)
{
	assert_int_equal(cape_board_open(channel), 0);
}

/* The monitors': done when all nodes have asked for the same one. */
void cape_channel_request(struct cape_channel *of, enum cape_channel_request request)
{
	uint64_t number = of->board.exchanges;

	if (request != CAPE_REQUEST_EXCHANGE)
		_exit(2);
	of->board.shown = of->board.printed;
	__atomic_store_n(&monitors->asked[of->node], number, __ATOMIC_SEQ_CST);
	if (of->node == 0 || of->nodes < NODES)
		monitors->times++;
	for (uint32_t node = 0; node < of->nodes; node++)
		while (__atomic_load_n(&monitors->asked[node], __ATOMIC_SEQ_CST) < number)
			usleep(10);
}

/* As programs do. */
static void exchange_all(void)
{
	if (!cape_board_exchange(channel))
		cape_channel_request(channel, CAPE_REQUEST_EXCHANGE);
}

static uint64_t message_size(uint64_t number, uint32_t node)
{
	struct random dice = {.state = number * NODES + node + 1};
	uint64_t size = random_below(&dice, 300);

	return size == 0 ? CAPE_BOARD_MESSAGE + 1 : size == 1 ? CAPE_BOARD_MESSAGE : size - 2;
}

static unsigned char byte_of(uint64_t number, uint32_t node, uint64_t i)
{
	return (unsigned char)(number * 31 + node * 7 + i);
}

/* Whether all nodes' messages of the exchange are here. */
static bool is_here(uint64_t number)
{
	for (uint32_t node = 0; node < NODES; node++) {
		const struct cape_channel_message *in = &channel->in[node];
		const unsigned char *bytes =
			(unsigned char *)channel + CAPE_CHANNEL_IN + in->offset;

		if (node == channel->node)
			continue;
		if (in->size != message_size(number, node) || in->offset % 64)
			return false;
		for (uint64_t i = 0; i < in->size; i++)
			if (bytes[i] != byte_of(number, node, i))
				return false;
	}
	return true;
}

static void take_singles(uint64_t number)
{
	for (uint64_t i = 0; i < SINGLES; i++)
		if (cape_board_first(channel, number << 32 | (i + 1)))
			__atomic_fetch_add(&monitors->taken[number - 1][i], 1, __ATOMIC_SEQ_CST);
}

/* One node's program; its exit status. */
static int run(uint32_t node)
{
	struct random dice = {.state = node + 77};
	unsigned over_board = 0;

	make_channel(node, NODES);
	open_board();
	for (uint64_t number = 1; number <= EXCHANGES; number++) {
		unsigned char *out = (unsigned char *)channel + CAPE_CHANNEL_OUT;

		channel->out_size = message_size(number, node);
		for (uint64_t i = 0; i < channel->out_size; i++)
			out[i] = byte_of(number, node, i);
		if (random_below(&dice, 20) == 0)
			usleep((useconds_t)random_below(&dice, 100));
		if (number % (EXCHANGES / 3) == node)
			usleep(LONG_NAP);
		exchange_all();
		take_singles(number);
		if (monitors->asked[node] == number)
			continue;
		over_board++;
		if (!is_here(number))
			return 1;
	}
	return over_board == 0 ? 3 : 0;
}

static void all_come_or_none(void **state)
{
	pid_t child[NODES];
	int status;

	(void)state;
	make_board();
	for (uint32_t node = 0; node < NODES; node++) {
		child[node] = fork();
		if (child[node] == 0) {
			alarm(60);
			_exit(run(node));
		}
	}
	for (uint32_t node = 0; node < NODES; node++) {
		assert_int_equal(waitpid(child[node], &status, 0), child[node]);
		assert_int_equal(status, 0);
	}
	/* The long naps, and what is too long. */
	assert_true(monitors->times > 3);
	for (size_t i = 0; i < EXCHANGES; i++)
		for (size_t k = 0; k < SINGLES; k++)
			assert_int_equal(monitors->taken[i][k], 1);
}

/* With another that has come already, and says that its message has SIZE bytes. */
static void exchange_with(uint64_t size)
{
	uint64_t number = channel->board.exchanges + 1;

	uint32_t other = 1 - channel->node;

	slot_of(channel, number, other)->size = size;
	cape_board_of(channel)->turn[number & 1].state = BEGIN(number) | 1;
	monitors->asked[other] = number;
	exchange_all();
}

static void begin_alone(uint32_t node)
{
	make_board();
	make_channel(node, 2);
	open_board();
	memset(monitors, 0, sizeof(*monitors));
}

static void a_size_that_cannot_be_is_none(void **state)
{
	(void)state;
	begin_alone(0);
	exchange_with(64);
	assert_int_equal(channel->in[1].size, 64);
	exchange_with(UINT64_MAX);
	assert_int_equal(channel->in[1].size, 0);
	assert_int_equal(monitors->times, 0);
}

static void what_was_printed_goes_by_the_monitors(void **state)
{
	int pipes[2];

	(void)state;
	begin_alone(1);
	assert_int_equal(pipe(pipes), 0);
	assert_int_equal(dup2(pipes[1], CAPE_STDOUT_FD), CAPE_STDOUT_FD);
	exchange_with(8);
	assert_int_equal(monitors->times, 0);
	assert_int_equal(write(CAPE_STDOUT_FD, "x", 1), 1);
	exchange_with(8);
	assert_int_equal(monitors->times, 1);
	/* The monitor takes it while the program goes on. */
	channel->board.printed++;
	assert_int_equal(read(pipes[0], &(char){0}, 1), 1);
	exchange_with(8);
	assert_int_equal(monitors->times, 2);
	exchange_with(8);
	assert_int_equal(monitors->times, 2);
	/* Not node 0's: that is at its goal. */
	channel->board.printed++;
	channel->node = 0;
	exchange_with(8);
	assert_int_equal(monitors->times, 2);
	close(CAPE_STDOUT_FD);
}

static void who_never_comes_is_for_the_monitors(void **state)
{
	(void)state;
	begin_alone(0);
	monitors->asked[1] = 2;
	exchange_all();
	assert_int_equal(monitors->times, 1);
	exchange_all();
	assert_int_equal(monitors->times, 2);
}

/* Of a program that has been in 2^31 regions before it comes to its first, or wraps around. */
static void constructs_of_any_region_are_taken_once(void **state)
{
	static const uint32_t regions[] = {1, INT32_MAX, UINT32_MAX, 0, UINT32_MAX - 1, 2};

	(void)state;
	begin_alone(0);
	for (size_t i = 0; i < sizeof(regions) / sizeof(regions[0]); i++) {
		uint64_t region = (uint64_t)regions[i] << 32;

		assert_true(cape_board_first(channel, region | 2));
		assert_false(cape_board_first(channel, region | 2));
		assert_false(cape_board_first(channel, region | 1));
		assert_true(cape_board_first(channel, region | 3));
		assert_true(cape_board_first(channel, region | INT32_MAX));
		assert_true(cape_board_first(channel, region | (3u << 30)));
		assert_true(cape_board_first(channel, region | UINT32_MAX));
		assert_true(cape_board_first(channel, region));
		assert_false(cape_board_first(channel, region | UINT32_MAX));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_come_or_none),
		cmocka_unit_test(a_size_that_cannot_be_is_none),
		cmocka_unit_test(what_was_printed_goes_by_the_monitors),
		cmocka_unit_test(who_never_comes_is_for_the_monitors),
		cmocka_unit_test(constructs_of_any_region_are_taken_once),
	};

	monitors = mmap(NULL, sizeof(*monitors), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
			-1, 0);
	assert_ptr_not_equal(monitors, MAP_FAILED);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
