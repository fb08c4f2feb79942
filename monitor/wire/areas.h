/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * areas.h - the parts of the channel whose bytes travel: what this node sends, and what came;
 * and how much of what kind was sent.
 */
#ifndef CAPE_AREAS_H
#define CAPE_AREAS_H

#include "channel/channel.h"

/* A message up to this size travels with as few steps as possible, not as segments. */
#define AREAS_SMALL_LIMIT 16384

static inline unsigned char *areas_out(struct cape_channel *channel)
{
	return (unsigned char *)channel + CAPE_CHANNEL_OUT;
}

static inline unsigned char *areas_in(struct cape_channel *channel)
{
	return (unsigned char *)channel + CAPE_CHANNEL_IN;
}

/* Counts BYTES that go to another node. */
static inline void areas_sent(struct cape_channel *channel, enum cape_sent kind, uint64_t bytes)
{
	channel->statistics.sent[kind] += bytes;
}

#endif
