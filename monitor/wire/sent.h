/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sent.h - counting what goes to other nodes, for the user. */
#ifndef CAPE_MONITOR_SENT_H
#define CAPE_MONITOR_SENT_H

#include "channel/channel.h"

/* Counts BYTES that go to another node. */
static inline void sent_add(struct cape_channel *channel, enum cape_sent kind, uint64_t bytes)
{
	channel->statistics.sent[kind] += bytes;
}

#endif
