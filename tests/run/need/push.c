// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * push.c - plays the part of the run time: asks its monitor to push messages of all sizes, and
 * prints how many came otherwise than they were sent.
 */
#include <omp.h>
#include <stdio.h>
#include <string.h>
#include "channel/channel.h"

#define ROUNDS 60
#define IN_USE 64 /* bytes that every node sends to all first, which must stay */

static struct cape_channel *const channel = (struct cape_channel *)CAPE_CHANNEL_ADDRESS;

/* What FROM sends to TO: nothing, something small, or several segments. */
static size_t size_of(unsigned round, unsigned from, unsigned to)
{
	static const size_t size[] = {0, 1, 4096, 16376, 16377, 0, 32768, 32769, 3000000, 100};
	unsigned dice = round * 7919 + from * 104729 + to * 1299709;

	return from == to ? 0 : size[dice / 13 % (sizeof(size) / sizeof(size[0]))];
}

static unsigned char byte_of(unsigned round, unsigned from, unsigned to, size_t at)
{
	return (unsigned char)(round * 31 + from * 7 + to * 3 + at + at / 4096);
}

static void put(unsigned round, unsigned char *out)
{
	uint64_t used = 0;

	for (unsigned to = 0; to < channel->nodes; to++) {
		size_t size = size_of(round, channel->node, to);

		*cape_channel_push(channel, to) = (struct cape_channel_message){used, size};
		for (size_t at = 0; at < size; at++)
			out[used + at] = byte_of(round, channel->node, to, at);
		used += size;
		cape_channel_pushed(channel, to)->size = size_of(round, to, channel->node) > 0;
	}
}

static int check(unsigned round, const unsigned char *in)
{
	int wrong = 0;

	for (unsigned from = 0; from < channel->nodes; from++) {
		const struct cape_channel_message came = *cape_channel_pushed(channel, from);
		size_t size = size_of(round, from, channel->node), at = 0;

		while (at < size && came.size == size &&
		       in[came.offset + at] == byte_of(round, from, channel->node, at))
			at++;
		wrong += at != size || came.size != size;
		wrong += from != channel->node && in[channel->in[from].offset] != from + 1;
	}
	return wrong;
}

static int play(void)
{
	unsigned char *out = (unsigned char *)channel + CAPE_CHANNEL_OUT;
	unsigned char *in = (unsigned char *)channel + CAPE_CHANNEL_IN;
	int wrong = 0;

	memset(out, (int)channel->node + 1, IN_USE);
	channel->out_size = IN_USE;
	cape_channel_request(channel, CAPE_REQUEST_EXCHANGE);
	for (unsigned round = 0; round < ROUNDS; round++) {
		put(round, out);
		cape_channel_request(channel, CAPE_REQUEST_PUSH);
		wrong += check(round, in);
	}
	return wrong;
}

int main(void)
{
	int wrong = 0;

#pragma omp parallel reduction(+ : wrong)
	wrong += play();
	printf("%d wrong\n", wrong);
	return 0;
}
