// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * board.c - an exchange over the board: all come, or all give it up.
 */
#include "channel/board.h"

#include <errno.h>
#include <string.h>
#include "channel/futex.h"
#include "channel/near.h"
#include "channel/watch.h"
#include "system/libc.h"

/* The state: the exchange's number, whether it was given up, how many have come. */
#define COME_BITS 15
#define COME_MASK ((1ull << COME_BITS) - 1)
#define GIVEN_UP  (1ull << COME_BITS)
#define NUMBER(s) ((s) >> (COME_BITS + 1))
#define BEGIN(n)  ((n) << (COME_BITS + 1))

static int map(char *at, uint64_t size, uint64_t offset)
{
	void *got = mmap(at, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE | MAP_FIXED,
			 CAPE_BOARD_FD, (off_t)offset);

	return got == MAP_FAILED ? -errno : 0;
}

int cape_board_open(struct cape_channel *channel)
{
	char *at = (char *)cape_board_of(channel);
	int error;

	if (!channel->board.open)
		return 0;
	error = map(at, CAPE_BOARD_SIZE, 0);
	/* Once more after its end: what crosses that lies in one piece. */
	if (!error)
		error = map(at + CAPE_BOARD_SIZE, CAPE_BOARD_RING_SIZE, CAPE_BOARD_RING);
	if (!error)
		error = map((char *)channel + CAPE_CHANNEL_NEAR, CAPE_NEAR_NODES * CAPE_NEAR_SIZE,
			    CAPE_BOARD_SIZE);
	if (error)
		return error;
	/* Nobody is in a region: all nodes have still to meet. */
	__atomic_store_n(&cape_board_of(channel)->single, 0, __ATOMIC_SEQ_CST);
	return 0;
}

/* Regions are not compared: of one that is over no construct comes any more. */
static bool is_taken(uint64_t number, uint64_t last)
{
	return number >> 32 == last >> 32 && (int32_t)((uint32_t)number - (uint32_t)last) <= 0;
}

bool cape_board_first(struct cape_channel *channel, uint64_t number)
{
	uint64_t *single = &cape_board_of(channel)->single;
	uint64_t last = __atomic_load_n(single, __ATOMIC_RELAXED);

	do {
		if (is_taken(number, last))
			return false;
	} while (!__atomic_compare_exchange_n(single, &last, number, false, __ATOMIC_RELAXED,
					      __ATOMIC_RELAXED));
	return true;
}

/* Now and then, in runs that are to try everything. */
static bool is_left_out(const struct cape_channel *channel)
{
	return channel->flags & CAPE_CHANNEL_STRESS &&
	       (channel->board.exchanges * 7 + channel->node * 5) % 16 == 0;
}

/*
 * What was printed before is to come along, and only monitors carry that.  What node 0's program
 * has printed its monitor takes before it passes on what it gets of others.
 */
bool cape_board_has_printed(const struct cape_channel *channel)
{
	int out = 0, err = 0;

	if (channel->node == 0)
		return false;
	/* The monitor raises PRINTED before it takes what is there. */
	ioctl(CAPE_STDOUT_FD, FIONREAD, &out);
	ioctl(CAPE_STDERR_FD, FIONREAD, &err);
	return out || err ||
	       __atomic_load_n(&channel->board.printed, __ATOMIC_SEQ_CST) != channel->board.shown;
}

static struct cape_board_slot *slot_of(struct cape_channel *channel, uint64_t number, uint32_t node)
{
	return &cape_board_of(channel)->slot[(number & 1) * channel->nodes + node];
}

static bool is_complete(const struct cape_channel *channel, uint64_t state)
{
	return (state & COME_MASK) == channel->nodes;
}

static void settle(struct cape_board_turn *turn, uint64_t number)
{
	__atomic_store_n(&turn->settled, (uint32_t)number, __ATOMIC_SEQ_CST);
	cape_watch_wake(&turn->settled, &turn->sleeping);
}

/* Comes, or gives the exchange up, unless somebody has already; returns the state then. */
static uint64_t enter(const struct cape_channel *channel, struct cape_board_turn *turn,
		      uint64_t number, bool come)
{
	uint64_t state = __atomic_load_n(&turn->state, __ATOMIC_ACQUIRE), next;

	do {
		next = NUMBER(state) == number ? state : BEGIN(number);
		if (next & GIVEN_UP)
			return next;
		next = come ? next + 1 : next | GIVEN_UP;
	} while (!__atomic_compare_exchange_n(&turn->state, &state, next, false, __ATOMIC_SEQ_CST,
					      __ATOMIC_ACQUIRE));
	if (!come || is_complete(channel, next))
		settle(turn, number);
	return next;
}

/* Until all have come or somebody has given up, at last this node itself; returns the state then.
 */
static uint64_t await(struct cape_channel *channel, struct cape_board_turn *turn, uint64_t number)
{
	uint64_t state;
	uint32_t seen = __atomic_load_n(&turn->settled, __ATOMIC_ACQUIRE);

	if (seen != (uint32_t)number)
		cape_watch_or_sleep(channel, &turn->settled, seen, &turn->sleeping,
				    &cape_watch_longest);
	state = __atomic_load_n(&turn->state, __ATOMIC_ACQUIRE);
	while (!(state & GIVEN_UP) && !is_complete(channel, state))
		if (__atomic_compare_exchange_n(&turn->state, &state, state | GIVEN_UP, false,
						__ATOMIC_SEQ_CST, __ATOMIC_ACQUIRE)) {
			settle(turn, number);
			return state | GIVEN_UP;
		}
	return state;
}

/* Others' messages are read where they are; what they push goes to the in area. */
static void take(struct cape_channel *channel, uint64_t number)
{
	for (uint32_t node = 0; node < channel->nodes; node++) {
		const struct cape_board_slot *slot = slot_of(channel, number, node);
		uint64_t size = slot->size;

		if (node == channel->node)
			continue;
		/* A malformed message is for those who read it. */
		if (size > CAPE_BOARD_MESSAGE)
			size = 0;
		channel->in[node] = (struct cape_channel_message){
			(uint64_t)((const char *)slot->bytes - (const char *)channel) -
				CAPE_CHANNEL_IN,
			size,
		};
	}
	channel->in_used = 0;
}

/* Whether all have come. */
static bool exchange(struct cape_channel *channel)
{
	uint64_t number = ++channel->board.exchanges;
	struct cape_board_turn *turn = &cape_board_of(channel)->turn[number & 1];
	bool come = channel->out_size <= CAPE_BOARD_MESSAGE && !is_left_out(channel) &&
		    !cape_board_has_printed(channel);
	uint64_t state;

	if (come) {
		struct cape_board_slot *slot = slot_of(channel, number, channel->node);

		slot->size = channel->out_size;
		memcpy(slot->bytes, (char *)channel + CAPE_CHANNEL_OUT, channel->out_size);
	}
	state = enter(channel, turn, number, come);
	if (!(state & GIVEN_UP) && !is_complete(channel, state))
		state = await(channel, turn, number);
	if (state & GIVEN_UP)
		return false;
	take(channel, number);
	channel->statistics.sent[CAPE_SENT_OWN] += channel->out_size * (channel->nodes - 1);
	return true;
}

bool cape_board_exchange(struct cape_channel *channel)
{
	int saved_errno = errno;
	bool done = exchange(channel);

	errno = saved_errno;
	return done;
}
