// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * peers.c - frames between processes that each have a socket to every other: all send more than
 * sockets hold before anybody takes anything, in pieces of any size; one that ends, and some that
 * send nonsense.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include "channel/peers.c"
#include "random.h"

#define NODES	3u
#define FRAMES	200u
#define LARGEST 100000u

static unsigned char bytes[LARGEST];

/* What frame I from one node to another is. */
static uint64_t size_of(uint32_t from, uint32_t to, uint32_t i)
{
	struct random dice = {from * 7919 + to * 104729 + i};
	uint64_t size = random_below(&dice, 3);

	return size ? random_below(&dice, size == 1 ? 40 : LARGEST) : 0;
}

static unsigned char byte_of(uint32_t from, uint32_t i, uint64_t at)
{
	return (unsigned char)(from * 31 + i * 7 + at + at / 251);
}

static void send_frame(struct cape_channel *channel, uint32_t to, uint32_t i)
{
	uint64_t size = size_of(channel->node, to, i), first = size / 3;
	const struct cape_peer_piece piece[] = {
		{bytes, first}, {bytes + first, 0}, {bytes + first, size - first}};

	for (uint64_t at = 0; at < size; at++)
		bytes[at] = byte_of(channel->node, i, at);
	cape_peers_send(channel, to, i + 1, to, piece, 3);
}

static bool take_frame(struct cape_channel *channel, uint32_t from, uint32_t i)
{
	const struct cape_peer_head *head = cape_peers_await(channel, from);
	const unsigned char *came = (const unsigned char *)(head + 1);
	bool good = head->kind == i + 1 && head->note == channel->node &&
		    head->size == size_of(from, channel->node, i);

	for (uint64_t at = 0; good && at < head->size; at++)
		good = came[at] == byte_of(from, i, at);
	cape_peers_taken(channel, from);
	return good;
}

static bool is_other(const struct cape_channel *channel, uint32_t node)
{
	return node != channel->node;
}

static int send_then_take(struct cape_channel *channel)
{
	bool good = true;

	for (uint32_t i = 0; i < FRAMES; i++)
		for (uint32_t to = 0; to < NODES; to++)
			if (is_other(channel, to))
				send_frame(channel, to, i);
	for (uint32_t i = 0; i < FRAMES; i++)
		for (uint32_t from = 0; from < NODES; from++)
			good &= !is_other(channel, from) || take_frame(channel, from, i);
	return good ? 0 : 1;
}

/* Node 0 awaits one that has ended: it goes on to wait, and its channel says for whom. */
static int end_or_await(struct cape_channel *channel)
{
	if (channel->node == 0)
		cape_peers_await(channel, 1);
	return 0;
}

/* Sizes that nobody sends: the last two would be as good as none, if they were rounded up. */
static const uint64_t wrong_size[] = {CAPE_PEER_LONGEST + 1ul, 1ull << 40, UINT64_MAX - 6,
				      UINT64_MAX};
static unsigned wrong;

static int speak_nonsense(struct cape_channel *channel)
{
	struct cape_peer_head head = {.kind = 1, .size = wrong_size[wrong]};

	if (channel->node == 0)
		cape_peers_await(channel, 1);
	else if (channel->node == 1)
		return write((int)CAPE_PEER_FD, &head, sizeof(head)) != sizeof(head) || pause();
	return 0;
}

static struct cape_channel *channels[NODES];

static void become(uint32_t node, int sockets[NODES][NODES],
		   int (*does)(struct cape_channel *channel))
{
	struct timeval moment = {.tv_usec = 20000};

	for (uint32_t i = 0; i < NODES; i++) {
		if (i == node)
			continue;
		dup2(sockets[node][i], (int)(CAPE_PEER_FD + i));
		setsockopt((int)(CAPE_PEER_FD + i), SOL_SOCKET, SO_RCVTIMEO, &moment,
			   sizeof(moment));
	}
	for (uint32_t i = 0; i < NODES; i++)
		for (uint32_t j = 0; j < NODES; j++)
			if (i != j)
				close(sockets[i][j]);
	_exit(does(channels[node]));
}

/* All nodes as processes. */
static void start_all(pid_t *process, int (*does)(struct cape_channel *channel))
{
	int sockets[NODES][NODES];

	for (uint32_t i = 0; i < NODES; i++)
		for (uint32_t j = i + 1; j < NODES; j++) {
			int side[2];

			assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, side), 0);
			sockets[i][j] = side[0];
			sockets[j][i] = side[1];
		}
	for (uint32_t i = 0; i < NODES; i++) {
		channels[i] = mmap(NULL, CAPE_CHANNEL_SIZE, PROT_READ | PROT_WRITE,
				   MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		assert_ptr_not_equal(channels[i], MAP_FAILED);
		channels[i]->node = i;
		channels[i]->nodes = NODES;
	}
	for (uint32_t i = 0; i < NODES; i++) {
		process[i] = fork();
		assert_true(process[i] >= 0);
		if (process[i] == 0)
			become(i, sockets, does);
	}
	for (uint32_t i = 0; i < NODES; i++)
		for (uint32_t j = 0; j < NODES; j++)
			if (i != j)
				close(sockets[i][j]);
}

static void test_all_send_first(void **state)
{
	pid_t process[NODES];
	int status;

	(void)state;
	start_all(process, send_then_take);
	for (uint32_t i = 0; i < NODES; i++) {
		assert_int_equal(waitpid(process[i], &status, 0), process[i]);
		assert_int_equal(status, 0);
		assert_int_equal(channels[i]->peers.waits, 0);
		munmap(channels[i], CAPE_CHANNEL_SIZE);
	}
}

/* Of node 1 node 0 gets nothing more, by that ERROR, and waits. */
static void expect_broken(int (*does)(struct cape_channel *channel), uint32_t error)
{
	pid_t process[NODES];
	int status;

	start_all(process, does);
	for (unsigned tries = 0; !__atomic_load_n(&channels[0]->peers.broken, __ATOMIC_ACQUIRE);
	     tries++) {
		assert_true(tries < 1000);
		usleep(10000);
	}
	assert_int_equal(channels[0]->peers.broken, 2);
	assert_int_equal(channels[0]->peers.error, error);
	assert_int_equal(waitpid(process[0], &status, WNOHANG), 0);
	for (uint32_t i = 0; i < NODES; i++) {
		kill(process[i], SIGKILL);
		waitpid(process[i], &status, 0);
		munmap(channels[i], CAPE_CHANNEL_SIZE);
	}
}

static void test_one_ends(void **state)
{
	(void)state;
	expect_broken(end_or_await, ECONNRESET);
}

static void test_nonsense(void **state)
{
	(void)state;
	for (wrong = 0; wrong < sizeof(wrong_size) / sizeof(wrong_size[0]); wrong++)
		expect_broken(speak_nonsense, EBADMSG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_send_first),
		cmocka_unit_test(test_one_ends),
		cmocka_unit_test(test_nonsense),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
